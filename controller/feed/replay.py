"""Plays feeds through the engine of the live table: every line's results, then the unfinished round.

The summary counts the printed lines and keeps the last line of every round.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, get_args

from controller.acts.catalogue import Ruling, declared
from controller.domain import Notice, Refused, RuleSet, Settled
from controller.engine.concluding import next_round
from controller.engine.settle.round_status import RUNNING, SETTLED, VOIDED, in_progress
from controller.engine.settle.settlement import pending, round_result
from controller.engine.state import TableState, new_table
from controller.engine.table import step
from controller.feed.feed_lines import FeedHeader, FeedLine, RepeatedLines, in_header, read_header
from controller.feed.json_report import Json, LockedCard, effect_json, notice_json, round_json
from controller.policy.state.effects import Held, Inferred, Released
from controller.rules import overridden_file


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
