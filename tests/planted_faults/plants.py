"""A shift at seven boxes, and ten faults of different kinds planted in it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from controller.bench.engine import deal_shift
from controller.feed.codec import to_json
from controller.rules import load_rules

Line = dict[str, Any]
OVERRIDES: dict[str, object] = {"stake_min": 0, "stake_max": 0, "stake_step": 0}
SECONDS = 28_800.0


class Shift(NamedTuple):
    """A feed: its header and its lines; `rounds` are the indices of each round's lines."""

    header: Line
    lines: list[Line]
    rounds: list[range]


def dealt(house: str, rounds: int) -> Shift:
    """A shift without a fault, each round cleared at its end."""
    rules = load_rules(house, OVERRIDES, Path())
    told = [to_json(obs) for obs in deal_shift(rules, rounds).observed]
    lines: list[Line] = []
    spans: list[range] = []
    begun = 0
    for at, line in enumerate(told):
        lines.append(line)
        following = told[at + 1]["obs"] if at + 1 < len(told) else "shoe"
        if line["obs"] != "bet" and line["obs"] != "shoe" and following in {"bet", "shoe"}:
            lines.append({"obs": "end"})
            spans.append(range(begun, len(lines)))
            begun = len(lines)
    timed = [{"t": round(at * SECONDS / len(lines), 3), **line} for at, line in enumerate(lines)]
    header = {"feed": 1, "table": "BJ1", "rules": house, "rule_overrides": OVERRIDES, "currency": "EUR"}
    return Shift(header, timed, spans)


class Fault(NamedTuple):
    """A fault, the condition under which it shows, and how it is planted in a round."""

    name: str
    house: str
    when: tuple[str, ...]
    plant: Callable[[list[Line]], list[Line]]


def _first(lines: list[Line], **wanted: object) -> int:
    return next(at for at, line in enumerate(lines) if wanted.items() <= line.items())


def _put(at: Callable[[list[Line]], int], *told: Line) -> Callable[[list[Line]], list[Line]]:
    def plant(lines: list[Line]) -> list[Line]:
        place = at(lines)
        return [*lines[:place], *({"t": lines[place]["t"], **line} for line in told), *lines[place:]]

    return plant


def _at_end(lines: list[Line]) -> int:
    return len(lines) - 1


def _misread(lines: list[Line]) -> list[Line]:
    """The fourth box's first card, told as another one."""
    at = [number for number, line in enumerate(lines) if line["obs"] == "card"][3]
    other = "5" if lines[at]["rank"] != "5" else "6"
    return [*lines[:at], {**lines[at], "rank": other}, *lines[at + 1 :]]


def _lost(lines: list[Line]) -> list[Line]:
    """The second box's first card, never told."""
    at = [number for number, line in enumerate(lines) if line["obs"] == "card"][1]
    return lines[:at] + lines[at + 1 :]


def _stake(lines: list[Line]) -> list[Line]:
    at = _first(lines, obs="bet", box=3)
    return [*lines[:at], {**lines[at], "stake": 9000}, *lines[at + 1 :]]


def _as_it_is(lines: list[Line]) -> list[Line]:
    return lines


PIT = {"by": "pit:P1", "reason": "planted"}
FAULTS: tuple[Fault, ...] = (
    Fault("misread card", "fr", ("--when", "differs"), _misread),
    Fault("lost card", "fr", ("--when", "differs"), _lost),
    Fault("wrong stake", "fr", ("--when", "differs"), _stake),
    Fault(
        "mis-tapped decision",
        "fr",
        ("--when", "refused=NO_SUCH_HAND"),
        _put(_at_end, {"obs": "decision", "box": 5, "hand": 4, "action": "double"}),
    ),
    Fault(
        "wrong payout",
        "fr",
        ("--when", "alert=WRONG_PAYOUT"),
        _put(_at_end, {"obs": "paid", "box": 6, "seat": 0, "amount": 123400}),
    ),
    Fault(
        "gap of the shoe",
        "fr",
        ("--when", "hold=DEVICE_LOST"),
        _put(
            lambda lines: _first(lines, obs="card") + 5,
            {"obs": "device", "name": "shoe", "state": "lost"},
            {"obs": "device", "name": "shoe", "state": "live"},
            {"obs": "resume", **PIT},
        ),
    ),
    Fault(
        "card to a box without a stake",
        "nl",
        ("--when", "dispute=CARD_TO_EMPTY_BOX"),
        lambda lines: _put(_at_end, {"obs": "void", **PIT})(
            _put(
                lambda told: _first(told, obs="card") + 3,
                {"obs": "card", "rank": "2", "suit": "c", "to": "box", "box": 7},
            )([line for line in lines if line.get("box") != 7])
        ),
    ),
    Fault(
        "cut card in front of a round",
        "fr",
        ("--when", "alert=SHUFFLE_DUE"),
        _put(_at_end, {"obs": "cut_card"}),
    ),
    Fault("wrong rule field", "fr", ("--when", "differs", "--rules", "wrong.toml"), _as_it_is),
    Fault(
        "a command that fails",
        "fr",
        ("--command", "grep -q DEFECTIVE {} && exit 3 || exit 0"),
        _put(
            _at_end,
            {"obs": "correct", "card": 1, "rank": "A", "suit": "c", "by": "pit:P1", "reason": "DEFECTIVE"},
        ),
    ),
)


def written(shift: Shift, fault: Fault, at: int, folder: Path) -> tuple[Path, int]:
    """The shift with the fault in its round `at`; gives the feed and how many lines that round has."""
    span = shift.rounds[at]
    planted = fault.plant([shift.lines[number] for number in span])
    lines = [*shift.lines[: span.start], *planted, *shift.lines[span.stop :]]
    feed = folder / "shift.feed.jsonl"
    feed.write_text("".join(json.dumps(line) + "\n" for line in (shift.header, *lines)))
    (folder / "wrong.toml").write_text('base = "fr"\nname = "wrong"\nblackjack_pays = [1, 1]\n')
    return feed, len(planted)
