"""Sixteen faults, each in a shift of its own as people would play it; three of them no feed can show."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from controller.domain import RANKS
from controller.replay.table_file import read_table_file
from controller.studio.studio_file import StudioFile
from tests.planted_faults.ordinary import with_ordinary_events
from tests.planted_faults.plants import PIT, Line, Shift, dealt
from tests.planted_faults.wide_stakes import with_wide_stakes

HOUSE: Final = "fr"
PACKS: Final = 6
HOUR_S: Final = 3600.0
ROUNDS: Final = 60
PLANTED: Final = 37
"""In which round, counted from 0."""

FIRST: Final = 6
"""So many places of the list a tester looks at."""

Plant = Callable[[Shift, range], Shift]


class Trial(NamedTuple):
    """A fault, the text that leads to it ("" where nothing in a feed can), and how it is planted."""

    name: str
    text: str
    plant: Plant


def _cards(shift: Shift, span: range) -> list[int]:
    return [at for at in span if shift.lines[at]["obs"] == "card"]


def _first(shift: Shift, span: range, **wanted: object) -> int:
    return next(at for at in span if wanted.items() <= shift.lines[at].items())


def _with(shift: Shift, at: int, **fields: object) -> Shift:
    """One line with other fields."""
    changed = {**shift.lines[at], **fields}
    return shift._replace(lines=[*shift.lines[:at], changed, *shift.lines[at + 1 :]])


def _put(shift: Shift, at: int, *told: Line) -> Shift:
    """Lines in front of another one, at its time."""
    timed = [{"t": shift.lines[at]["t"], **line} for line in told]
    return shift._replace(lines=[*shift.lines[:at], *timed, *shift.lines[at:]])


def _without(shift: Shift, at: int) -> Shift:
    return shift._replace(lines=shift.lines[:at] + shift.lines[at + 1 :])


def _misread(shift: Shift, span: range) -> Shift:
    """The hole card's neighbour in the deal, read surely as its neighbour in rank: the sum is another one."""
    at = _cards(shift, span)[3]
    rank = shift.lines[at]["rank"]
    return _with(shift, at, rank="9" if rank != "9" else "8")


def _other_suit(shift: Shift, span: range) -> Shift:
    """A wrong suit, in a shoe that is counted out at its end."""
    at = _cards(shift, span)[3]
    end = next((one for one in range(span.stop, len(shift.lines)) if _is(shift, one, "shoe")), None)
    begun = max(one for one in range(span.start + 1) if _is(shift, one, "shoe"))
    dealt_cards = [
        shift.lines[one] for one in range(begun, end or len(shift.lines)) if _is(shift, one, "card")
    ]
    left = Counter({f"{rank}{suit}": PACKS for rank in RANKS for suit in "cdhs"})
    left.subtract(f"{card['rank']}{card['suit']}" for card in dealt_cards)
    count = {"obs": "shoe_end", "cards": sorted(left.elements())}
    suit = "s" if shift.lines[at]["suit"] != "s" else "h"
    wrong = _with(shift, at, suit=suit)
    return _put(wrong, end if end is not None else len(shift.lines) - 1, count)


def _is(shift: Shift, at: int, obs: str) -> bool:
    return bool(shift.lines[at]["obs"] == obs)


def _swapped(shift: Shift, span: range) -> Shift:
    """Two cards of one hand's draw, reported in the other order."""
    one, other = _cards(shift, span)[8:10]
    first, second = shift.lines[one], shift.lines[other]
    faces = [{"rank": line["rank"], "suit": line["suit"]} for line in (first, second)]
    return _with(_with(shift, one, **faces[1]), other, **faces[0])


def _double_as_hit(shift: Shift, span: range) -> Shift:
    """A double, reported as a hit and then a stand."""
    at = _first(shift, span, obs="decision", action="double")
    box, hand = shift.lines[at]["box"], shift.lines[at]["hand"]
    stand = {"obs": "decision", "box": box, "hand": hand, "action": "stand"}
    return _put(_with(shift, at, action="hit"), at + 2, stand)


def _hour_later(shift: Shift, span: range) -> Shift:
    """From the middle of the round on every time is an hour more."""
    at = _cards(shift, span)[9]
    later = [{**line, "t": round(line["t"] + HOUR_S, 3)} for line in shift.lines[at:]]
    return shift._replace(lines=[*shift.lines[:at], *later])


def _six_to_five(shift: Shift, _: range) -> Shift:
    overrides = {**shift.header["rule_overrides"], "blackjack_pays": [6, 5]}
    return shift._replace(header={**shift.header, "rule_overrides": overrides})


def _empty_box(shift: Shift, span: range) -> Shift:
    """A card at a box from which the stake was taken away."""
    card = {"obs": "card", "rank": "2", "suit": "c", "to": "box", "box": 7}
    stakes = [at for at in span if shift.lines[at].get("box") == 7]
    bare = shift
    for at in reversed(stakes):
        bare = _without(bare, at)
    place = _cards(bare, range(span.start, span.stop - len(stakes)))[3]
    return _put(bare, place, card)


def _device_away(shift: Shift, span: range) -> Shift:
    away = ({"obs": "device", "name": "shoe", "state": one} for one in ("lost", "live"))
    return _put(shift, _cards(shift, span)[5], *away, {"obs": "resume", **PIT})


def _dealer_last(shift: Shift, span: range) -> int:
    """Where the dealer's last card stands."""
    return _cards(shift, span)[-1]


SIXTEEN: Final = (
    Trial("lost card", "studio.not_over", lambda shift, span: _without(shift, _cards(shift, span)[1])),
    Trial(
        "card dealt twice",
        "alert.",
        lambda shift, span: _put(
            shift, span.stop - 1, {"obs": "card", "rank": "2", "suit": "c", "to": "box", "box": 2}
        ),
    ),
    Trial(
        "stake with a nought too many",
        "finding.STAKE_UNLIKE",
        lambda shift, span: _with(shift, _first(shift, span, obs="bet", box=3), stake=20000),
    ),
    Trial("6:5 in the overrides", "studio.override", _six_to_five),
    Trial("clock step of an hour", "finding.CLOCK_STEP", _hour_later),
    Trial("wrong suit, the shoe counted out", "alert.SHOE_INCOMPLETE", _other_suit),
    Trial(
        "mis-tapped decision",
        "refused.NO_SUCH_HAND",
        lambda shift, span: _put(
            shift, span.stop - 1, {"obs": "decision", "box": 5, "hand": 4, "action": "double"}
        ),
    ),
    Trial(
        "wrong payout",
        "alert.WRONG_PAYOUT",
        lambda shift, span: _put(
            shift,
            span.stop - 1,
            {"obs": "paid", "box": 6, "seat": 0, "amount": 123400},
            {"obs": "resume", **PIT},
        ),
    ),
    Trial("gap of the shoe", "alert.DEVICE_LOST", _device_away),
    Trial("card to a box without a stake", "alert.CARD_TO_EMPTY_BOX", _empty_box),
    Trial(
        "cut card in front of a round",
        "alert.SHUFFLE_DUE",
        lambda shift, span: _put(shift, span.start, {"obs": "cut_card"}),
    ),
    Trial(
        "the dealer stops on 16 or less",
        "alert.DEALER_STOOD_ON_16",
        lambda shift, span: _without(shift, _dealer_last(shift, span)),
    ),
    Trial(
        "the dealer draws on 17 or more",
        "alert.DEALER_DREW_ON_17",
        lambda shift, span: _put(
            shift, span.stop - 1, {"obs": "card", "rank": "3", "suit": "d", "to": "dealer"}
        ),
    ),
    Trial("card read surely as another one", "", _misread),
    Trial("double reported as hit and stand", "", _double_as_hit),
    Trial("two cards in the other order", "", _swapped),
)


def places(folder: Path, *, wide: bool = False) -> Iterator[tuple[Trial, int, int]]:
    """Each fault with the place of the list that says it, from 1 (0: none does), and the list's length.

    `wide`: bettors lay stakes of a spread of their own.
    """
    plain = dealt(HOUSE, ROUNDS)
    for trial in SIXTEEN:
        shift = with_ordinary_events(plain, 1, PLANTED)
        shift = with_wide_stakes(shift, 7) if wide else shift
        shift = trial.plant(shift, shift.rounds[PLANTED])
        feed = folder / "shift.feed.jsonl"
        feed.write_text("".join(json.dumps(line) + "\n" for line in (shift.header, *shift.lines)))
        file = StudioFile(read_table_file(str(feed)), at_table=True)
        found = [one.text.code for one in file.view(feed.name).findings]
        place = next(
            (at for at, code in enumerate(found, 1) if trial.text and code.startswith(trial.text)), 0
        )
        yield trial, place, len(found)


def main() -> None:
    """Print the place of each fault, and how many are among the first six."""
    seen = 0
    with TemporaryDirectory() as folder:
        for trial, place, of in places(Path(folder)):
            seen += 0 < place <= FIRST
            sys.stdout.write(f"{trial.name:34} {place or '-':>3} of {of}\n")
    sys.stdout.write(f"{seen} of {len(SIXTEEN)} within the first {FIRST} places\n")


if __name__ == "__main__":
    main()
