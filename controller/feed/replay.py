"""Replay a feed: its expectations, and the report as JSON.

The summary counts the printed lines and keeps the last line of every round.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from json import JSONEncoder
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, get_args

from pydantic_core import PydanticSerializationError, to_json

from controller.acts.catalogue import Ruling, declared
from controller.acts.round import Face, Pose
from controller.domain import (
    Adjusted,
    Alert,
    BetResult,
    ConfigError,
    Difference,
    Disputed,
    Notice,
    Params,
    Refused,
    RoundResult,
    RuleSet,
    Settled,
)
from controller.engine.settle import RUNNING, SETTLED, VOIDED, in_progress, pending, round_result
from controller.engine.state import TableState, new_table
from controller.engine.table import next_round, step
from controller.engine.watching import COMPOSITION_SUSPECT, parse_suspects
from controller.feed.feed_lines import FeedHeader, FeedLine, RepeatedLines, in_header, read_header
from controller.outputs import NOT_REGULAR
from controller.policy.run import Held, Inferred, Released
from controller.rules import overridden_file
from controller.validation import VALUE_LENGTH_MAX, MalformedLine, read_json_lines

Json = dict[str, Any]


MISSING = "nothing"
"""What a difference has where there is no such value, row or round."""


class ExpectationDifference(NamedTuple):
    """One value that differs from the expectation; `key` is a path such as `bets[0].returned`.

    A missing row is named by its place: `bets[box=3,seat=0].returned`.
    """

    feed: str
    round: int
    key: str
    expected: Any
    actual: Any

    def to_json(self) -> Json:
        """Return the difference as an object of its own type."""
        return {"type": "difference", **self._asdict()}

    def placed(self, fields: Json) -> Json:
        """The difference with `what` it is and the box, seat and hand of a path such as `bets[3].returned`.

        `fields` is the round as it came out.
        """
        field = self.key.rpartition(".")[2]
        part, _, rest = self.key.partition("[")
        index = rest.partition("]")[0]
        rows = fields.get(part)
        found = {**self.to_json(), "what": field}
        if "=" in index:
            return {**found, **{name: int(at) for name, at in (one.split("=") for one in index.split(","))}}
        if not index.isdigit() or not isinstance(rows, list) or int(index) >= len(rows):
            return found
        row = rows[int(index)]
        return {**found, **{name: row[name] for name in ("box", "seat", "hand") if name in row}}


def load_expected(path: Path) -> list[Json]:
    """The `round` objects of an expectation file; other types, as a replay prints them, are passed over.

    Raises as `read_expectation`.
    """
    return [entry for entry in read_expectation(path) if entry.get("type", "round") == "round"]


def read_expectation(path: Path) -> list[Json]:
    """Return every object of an expectation file, of any type.

    Raises ConfigError EXPECT_UNREADABLE, or MalformedLine.
    """
    if path.exists() and not path.is_file():
        # A pipe would wait for its writer.
        raise ConfigError("EXPECT_UNREADABLE", file=str(path), reason=NOT_REGULAR)
    try:
        lines = list(read_json_lines(path))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError("EXPECT_UNREADABLE", file=str(path), reason=reason) from error
    for number, entry in lines:
        if (wrong := _wrong(entry)) is not None:
            raise MalformedLine(number, wrong, str(path))
    return [entry for _, entry in lines]


def _wrong(entry: object) -> ConfigError | None:
    """Return the fault of an expectation's line; None without one."""
    if not isinstance(entry, dict):
        return ConfigError("FEED_NOT_OBJECT")
    number, feed = entry.get("round", 0), entry.get("feed", "")
    if type(number) is not int:
        value = json.dumps(number, ensure_ascii=False)[:VALUE_LENGTH_MAX]
        return ConfigError("FEED_FIELD_BAD", field="round", value=value, wanted="a round number")
    if not isinstance(feed, str):
        return ConfigError(
            "FEED_FIELD_BAD", field="feed", value=str(feed)[:VALUE_LENGTH_MAX], wanted="a text"
        )
    return None


def compare(expected: list[Json], actual: list[Json]) -> Iterator[ExpectationDifference]:
    """Yield the differences between the last line of each round and the last expectation for it.

    Keys that an expectation leaves out are not compared; a round without an expectation is a difference.
    """
    feeds = {str(entry["feed"]) for entry in actual}
    only = next(iter(feeds)) if len(feeds) == 1 else ""
    want = {_key(entry, only): entry for entry in expected}
    got = {_key(entry, ""): entry for entry in actual}
    for feed, number in sorted(want.keys() | got.keys()):
        if (feed, number) not in got:
            yield ExpectationDifference(feed, number, "round", number, MISSING)
        elif (feed, number) not in want:
            yield ExpectationDifference(feed, number, "round", MISSING, number)
        else:
            pairs = _walk(want[feed, number], got[feed, number], "")
            yield from (ExpectationDifference(feed, number, *pair) for pair in pairs)


def _key(entry: Json, only: str) -> tuple[str, int]:
    """Feed and round; with a single feed the name that the expectation gives it does not matter."""
    return only or entry.get("feed", ""), entry.get("round", 0)


def _walk(want: Any, got: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(want, dict) and isinstance(got, dict):
        for key, value in want.items():
            if path or key != "feed":
                inner = f"{path}.{key}" if path else key
                yield from _walk(value, got.get(key, MISSING), inner)
    elif (found := _others(want, got, path)) is not None:
        yield from found
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for index, (left, right) in enumerate(zip(want, got, strict=True)):
            yield from _walk(left, right, f"{path}[{index}]")
    elif want != got or type(want) is not type(got):
        yield path, want, got


def _others(want: Any, got: Any, path: str) -> Iterator[tuple[str, Any, Any]] | None:
    """Differences of two lists of bets, or of hands, that are not of the same ones; None of any other two."""
    wanted, found = _placed_rows(want), _placed_rows(got)
    if wanted is None or found is None or wanted.keys() == found.keys():
        return None
    return _row_by_row(wanted, found, path)


def _row_by_row(wanted: dict[str, Json], found: dict[str, Json], path: str) -> Iterator[tuple[str, Any, Any]]:
    for place, row in wanted.items():
        if place in found:
            yield from _walk(row, found[place], f"{path}[{list(found).index(place)}]")
    for place in sorted(wanted.keys() ^ found.keys()):
        field = "returned" if path == "bets" else "cards"
        one, other = (rows.get(place, {}).get(field, MISSING) for rows in (wanted, found))
        yield f"{path}[{place}].{field}", one, other


def _placed_rows(rows: Any) -> dict[str, Json] | None:
    """Return the rows of a list by box and bettor, or box and hand; None for another list."""
    placed: dict[str, Json] = {}
    for row in rows if isinstance(rows, list) else (None,):
        if not isinstance(row, dict) or "box" not in row:
            return None
        numbers = {at: row[at] for at in ("box", "seat", "hand") if at in row}
        place = ",".join(f"{at}={one}" for at, one in numbers.items())
        if place in placed or any(type(one) is not int for one in numbers.values()):
            return None
        placed[place] = row
    return placed


_ENCODER: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def line_text(line: Json) -> str:
    """Return an object of a replay as a line of `--json`, with its line feed.

    A round has no fractions, whose digits the faster writer chooses otherwise.
    """
    if line["type"] == "round":
        try:
            return to_json(line).decode() + "\n"
        except PydanticSerializationError:
            # A name with half a character, as a file system may have them.
            pass
    return _ENCODER.encode(line) + "\n"


class LockedCard(NamedTuple):
    """A card that a camera is certain of, as reported to the table; box 0 is the dealer.

    `rank` and `suit` are None for a face-down or unread card. `track` is its permanent number.
    """

    rank: str | None
    suit: str | None
    box: int
    hand: int
    face: Face
    pose: Pose
    track: int
    p: float


def round_json(result: RoundResult) -> Json:
    """A `round` object without `feed`."""
    return {
        "type": "round",
        "round": result.round,
        "status": result.status,
        "dealer": {**result.dealer._asdict(), "cards": list(result.dealer.cards)},
        "bets": [_bet_json(bet) for bet in result.bets],
        "hands": [
            {"box": hand.box, "hand": hand.hand, "cards": list(hand.cards), "total": hand.total}
            for hand in result.hands
        ],
        "settle_order": list(result.settle_order),
        "bonuses": [{"box": box, "hand": hand, "bonus": bonus} for box, hand, bonus in result.bonuses],
    }


def _bet_json(bet: BetResult) -> Json:
    """Return one bettor of a round."""
    return {
        "box": bet.box,
        "seat": bet.seat,
        "staked": bet.staked,
        "returned": bet.returned,
        "net": bet.returned - bet.staked,
        # Spelled out: `_asdict` takes four times as long, and a long replay makes thousands.
        "parts": [
            {
                "kind": part.kind,
                "hand": part.hand,
                "stake": part.stake,
                "outcome": part.outcome,
                "returned": part.returned,
            }
            for part in bet.parts
        ],
    }


def notice_json(notice: Notice) -> Json:
    """A notice as an object; line, time and feed are the caller's to add."""
    match notice:
        case Settled(result):
            return round_json(result)
        case Alert(code, severity, number, params):
            return {
                "type": "alert",
                "code": code,
                "severity": severity,
                "round": number,
                **({"params": _params_json(code, params)} if params else {}),
            }
        case Adjusted(number, bets):
            return {"type": "adjustment", "round": number, "bets": [_moved(entry) for entry in bets]}
        case Disputed(number, code, params):
            extra = {"params": dict(params)} if params else {}
            return {"type": "dispute", "round": number, "code": code, **extra}
        case Refused(code, params):
            return {"type": "refused", "code": code, **({"params": dict(params)} if params else {})}


def _params_json(code: str, params: Params) -> Json:
    """Parameters as an object; suspected cards as the list that the feed format wants."""
    if code != COMPOSITION_SUSPECT:
        return dict(params)
    fields = dict(params)
    cards = [
        {"card": card, "missing": 1, "odds": odds} for card, odds in parse_suspects(str(fields["cards"]))
    ]
    return {**fields, "cards": cards}


def effect_json(effect: Held | Released | Inferred | LockedCard) -> Json:
    """Return an effect of the table's door beside the engine; the caller adds line, time and feed."""
    match effect:
        case Held(hold=hold):
            return {
                "type": "hold",
                "code": hold.code,
                "release": hold.release,
                "ways": list(hold.ways),
                **({"params": dict(hold.params)} if hold.params else {}),
            }
        case Released(hold=hold, resumed=resumed):
            return {"type": "released", "code": hold.code, **({"resumed": True} if resumed else {})}
        case LockedCard():
            return {"type": "card", **effect._asdict()}
        case Inferred(what=what, box=box, hand=hand):
            place = {"box": box, "hand": hand} if box else {}
            return {"type": "inferred", "what": what, **place}


def _moved(moved: Difference) -> Json:
    """Return one bettor of an adjustment, with the stakes if they changed."""
    before, after = moved.staked_before, moved.staked_after
    return {
        "box": moved.box,
        "seat": moved.seat,
        "returned_before": moved.returned_before,
        "returned_after": moved.returned_after,
        "delta": moved.returned_after - moved.returned_before,
        **({} if before == after else {"staked_before": before, "staked_after": after}),
    }


class Summary:
    """Counts the objects of a replay. A round counts with its last line."""

    def __init__(self) -> None:
        """Begin at zero."""
        self.feeds = 0
        self._refused = 0
        self._alerts = 0
        self._disputes = 0
        self._holds = 0
        self._inferred = 0
        self.at_table = False
        """Whether holds and what was inferred are counted as well."""
        self._rounds: dict[tuple[str, int], Json] = {}

    @property
    def unclean(self) -> bool:
        """Whether there was any refusal, alert or dispute (`--strict`)."""
        return bool(self._refused or self._alerts or self._disputes or self._holds)

    def count(self, line: Json) -> None:
        """Take one object of the replay."""
        match line["type"]:
            case "refused":
                self._refused += 1
            case "alert":
                self._alerts += 1
            case "dispute":
                self._disputes += 1
            case "hold":
                self._holds += 1
            case "inferred":
                self._inferred += 1
            case "round":
                self._rounds[line["feed"], line["round"]] = line
            case _:
                pass

    def rounds(self) -> list[Json]:
        """The last line of each round, in order."""
        return list(self._rounds.values())

    def summary(self) -> Json:
        """The `summary` object; amounts are those of settled and voided rounds."""
        rounds = self.rounds()
        bets = [bet for line in rounds if line["status"] in ("settled", "voided") for bet in line["bets"]]
        statuses = [line["status"] for line in rounds]
        counts = {"holds": self._holds, "inferred": self._inferred} if self.at_table else {}
        return {
            "type": "summary",
            "feeds": self.feeds,
            "rounds": len(rounds),
            "settled": statuses.count("settled"),
            "voided": statuses.count("voided"),
            "disputed": statuses.count("disputed"),
            "refused": self._refused,
            "alerts": self._alerts,
            "staked": sum(bet["staked"] for bet in bets),
            "returned": sum(bet["returned"] for bet in bets),
            **counts,
        }


Sentence = Callable[[str, dict[str, Any]], str]
"""Turns the code and parameters of a refusal into the text that `message` carries."""


RULINGS: Final = frozenset(get_args(Ruling))


class Skipped(NamedTuple):
    """Refused lines of a held round without a ruling. `because` is the code of its hold."""

    from_line: int
    to_line: int
    because: str


PlayedNotice = Notice | Held | Released | Inferred | LockedCard | Skipped
"""What the engine says; at a table's door also what holds, what is lifted, what nobody reported, what was
seen."""


class Played(NamedTuple):
    """One line and its effects; `line` is None for the round closed by the end of the feed.

    `by` is the reporter of the line, in a replay at the table's door. `frame` names the picture behind it;
    then the line is the last one before it.
    """

    line: FeedLine | None
    notices: tuple[PlayedNotice, ...]
    by: str = ""
    frame: str = ""


class Script(NamedTuple):
    """An opened feed: its header, its rule set, its lines still to be read."""

    header: FeedHeader
    rules: RuleSet
    lines: RepeatedLines


def open_script(stream: BinaryIO, folder: Path) -> Script:
    """Header and rules of a feed; rule files are looked up in `folder`. Raises ConfigError."""
    header = read_header(stream)
    with in_header():
        rules = overridden_file(header.rules, header.rule_overrides, header.irregularities, folder).rules
    return Script(header, rules, RepeatedLines(stream))


def play(rules: RuleSet, lines: Iterable[FeedLine], *, watch: bool = False) -> Iterator[Played]:
    """Fold the lines; yields after every line, so the caller sets the pace. `watch`: the shuffle's order."""
    state = new_table(rules, watch=watch)
    for line in lines:
        taken = step(state, line.obs)
        state = taken.state
        yield Played(line, taken.notices)
    yield _end(state)


def play_results(rules: RuleSet, lines: RepeatedLines, *, watch: bool = False) -> Iterator[Played]:
    """Play as `play` does; yield only rulings, lines with effects, and the end."""
    state = new_table(rules, watch=watch)
    for number, t, entered in lines.differing():
        taken = step(state, entered.obs)
        state = taken.state
        if taken.notices or type(entered.obs) in RULINGS:
            yield Played(FeedLine(number, t, *entered), taken.notices)
    yield _end(state)


def _end(state: TableState) -> Played:
    left = left_open(state)
    return Played(None, () if left is None else (left,))


def left_open(state: TableState, *, unreported: bool = False) -> Settled | None:
    """The round that has no closing line yet when the feed ends, open or disputed.

    `unreported`: it is complete and waits for a ruling.
    """
    settlement = state.settlement
    if unreported:
        return Settled(round_result(state, RUNNING, pending(state)))
    if settlement.status in ("settled", "voided") or not in_progress(state):
        return None
    if settlement.result is not None:
        return Settled(settlement.result)
    return Settled(round_result(state, RUNNING, pending(state)))


def between_rounds(state: TableState) -> TableState:
    """Give the table of the next bet: that bet itself clears a round that has been paid."""
    return next_round(state) if state.settlement.status in (SETTLED, VOIDED) else state


def to_lines(played: Played, feed: str, sentence: Sentence) -> Iterator[Json]:
    """The `--json` objects of one played line (feed format, section 3)."""
    for notice in played.notices:
        yield _placed(played, feed, notice, sentence)


def _placed(played: Played, feed: str, notice: PlayedNotice, sentence: Sentence) -> Json:
    line = played.line
    if isinstance(notice, Settled):
        return {"type": "round", "feed": feed, **round_json(notice.result)}
    if isinstance(notice, LockedCard):
        return {"type": "card", "feed": feed, "t": line.t if line else 0.0, **effect_json(notice)}
    if isinstance(notice, Skipped):
        return {"type": "skipped", "feed": feed, **notice._asdict()}
    out = effect_json(notice) if isinstance(notice, Held | Released | Inferred) else notice_json(notice)
    if line is None:
        return {"type": out.pop("type"), **out, "feed": feed}
    placed: Json = {"type": out["type"], "feed": feed, "line": line.number, "t": line.t}
    if played.frame:
        placed["frame"] = played.frame
    if isinstance(notice, Refused):
        placed["obs"] = declared(line.obs).name
        placed["message"] = sentence(notice.code, dict(notice.params))
        if played.by:
            placed["by"] = played.by
    return {**placed, **out}
