"""Patterns beyond chance in shifts: wrong payouts, misread cards, falling certainty; and the pace.

A group is compared with all others: `one_in` says how rarely chance, at their rate, makes as many of its
payouts differ. A shoe is compared with the other shoes of its table, which the same reader has read. Its
certainty is compared with that of the shoes before it.

As a program this module computes a house edge, or the patterns of a folder, in a process of its own.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from math import exp, lgamma, log, log1p
from pathlib import Path
from statistics import median
from threading import Timer
from typing import Final, Literal, NamedTuple

from pydantic import TypeAdapter

from controller.domain import JournalError, RuleSet
from controller.history.history import SECOND_US, PhaseName
from controller.history.kept import edge_percent, known_edge
from controller.journal.entry import trusted
from controller.journal.store import JournalReader
from controller.runtime.snapshot import Secrets, audit_line
from controller.screens.dealt_rounds import (
    LINES,
    Day,
    DealtRound,
    LiveShift,
    dealt_rounds,
    entry_line,
    mean_seconds,
)
from controller.screens.felt import Bettor
from controller.screens.words import Money, ViewModel, Word, moved

PATIENCE_S: Final = 120.0
"""An eight-hour shift takes some seconds, a month of them half a minute."""
NICENESS: Final = 10


ANSWER: Final = b"answer\n"
"""The line between what a module says of its progress and its answer."""


def answer_of(
    module: str, *words: str, given: bytes = b"", progress: Callable[[int], None] | None = None
) -> bytes | None:
    """Run a module with these words; return its output, None for an exit status other than 0.

    Its standard input is `given`. With `progress` the module reports its progress (`say_progress`) before it
    answers.
    """
    command, pipe = (sys.executable, "-P", "-m", module, *words), subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None, "a pipe"
        assert child.stdout is not None, "a pipe"
        late = Timer(PATIENCE_S, child.kill)
        late.start()
        try:
            child.stdin.write(given)
            child.stdin.close()
            while progress is not None and (line := child.stdout.readline()) not in (b"", ANSWER):
                progress(int(line))
            answer = child.stdout.read()
        except OSError:
            # The process ended before it read its input.
            answer = b""
        finally:
            late.cancel()
    return answer if child.returncode == 0 else None


def say_progress(done: int) -> None:
    """Say how far this process is."""
    sys.stdout.buffer.write(b"%d\n" % done)
    sys.stdout.buffer.flush()


def stand_back() -> None:
    """Let every other process go first."""
    os.nice(NICENESS)


_MODULE: Final = "controller.screens.patterns"
"""This one, by name: as a program it has another."""

_EDGE: Final = "edge"
_DAYS: Final = "days"
"""What this module computes as a program."""

AGAIN_S: Final = 60.0
"""A process that has failed is tried again after so long."""

_RULES: Final = TypeAdapter(RuleSet)


class EdgeFinder:
    """Answers at once with the known edges; a computation takes seconds, once per set of rules."""

    def __init__(self) -> None:
        """Begin without a computation."""
        self._work: dict[RuleSet, tuple[asyncio.Future[float | None], float]] = {}

    def of(self, rules: RuleSet) -> float | None:
        """The house edge in percent of the opening stakes, None until it is worked out."""
        loop = asyncio.get_running_loop()
        if rules not in self._work and (known := known_edge(rules)) is not None:
            self._work[rules] = loop.create_future(), 0.0
            self._work[rules][0].set_result(known)
        work, begun_s = self._work.get(rules, (None, 0.0))
        found = work.result() if work is not None and work.done() else None
        failed = work is not None and work.done() and found is None
        if work is None or (failed and loop.time() - begun_s > AGAIN_S):
            self._work[rules] = loop.run_in_executor(None, _edge_percent, rules), loop.time()
        return found


def _edge_percent(rules: RuleSet) -> float | None:
    written = answer_of(_MODULE, _EDGE, _RULES.dump_json(rules).decode())
    return None if written is None else float(written)


CHANCE: Final = 100
"""Said from 1 in CHANCE times the groups on: of a hundred shifts without a pattern one names a group."""


def one_in(tries: int, hits: int, others: int, other_hits: int, groups: int) -> int | None:
    """Return how rarely `hits` or more of `tries` occur at the others' rate; None within chance.

    It is the binomial tail. The rate is that of the others with half a hit added: a rate of 0 in a small
    sample does not mean impossible.
    """
    if hits == 0 or others == 0:
        return None
    rate = min((other_hits + 0.5) / (others + 1), 0.5)
    tail = sum(
        exp(_log_choose(tries, k) + k * log(rate) + (tries - k) * log1p(-rate))
        for k in range(hits, tries + 1)
    )
    seldom = int(1 / max(tail, 1e-12))
    return seldom if seldom >= CHANCE * groups else None


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


_LOW_OF: Final = 20
"""A card is read with little certainty where 19 of 20 cards of the shoes before were read with more."""
_CARDS_BEFORE: Final = 100
"""So many cards of earlier shoes make a usual certainty."""
_MEDIAN_OF: Final = 2
"""So many dealers have a median."""

GroupBy = Literal["dealer", "box", "seat", "result"]


class DifferingGroup(ViewModel):
    """Payouts of one dealer, box, place or result: how many differed, and the players' surplus.

    `one_in` is how rarely chance makes it so many, None within chance.
    """

    by: GroupBy
    name: str | Word
    payouts: int
    differ: int
    sum: Money
    one_in: int | None


class ShoeReads(ViewModel):
    """The cards of a shoe: those corrected by the pit, those entered by hand, the mean certainty.

    `day` is the UTC date of the shift's first round, `table` "" for a single table. `percent` is None when no
    device reports its certainty. `one_in` of the misreads as in `DifferingGroup`; `low_one_in` of the cards
    read with little certainty: a dirty lens, a worn deck, other light.
    """

    day: str
    table: str
    shoe: int
    cards: int
    misread: int
    by_hand: int
    percent: float | None
    one_in: int | None
    low_one_in: int | None


class BoxPace(ViewModel):
    """The number of a box's decisions, and the mean time of its answers in seconds."""

    box: int
    decisions: int
    seconds: float


class DealerPace(ViewModel):
    """The mean seconds of each part of a dealer's rounds; of the median dealer `dealer` is ""."""

    dealer: str
    rounds: int
    seconds: dict[PhaseName, float]


class Patterns(ViewModel):
    """The groups with a difference, those beyond chance first; shoes and boxes in order.

    `dealers` are by name, the median one last; empty when fewer than two have a round.
    """

    payouts: tuple[DifferingGroup, ...]
    shoes: tuple[ShoeReads, ...]
    boxes: tuple[BoxPace, ...]
    dealers: tuple[DealerPace, ...]


class _Group(NamedTuple):
    tries: int = 0
    hits: int = 0
    amount: int = 0


def patterns_of(days: Iterable[Day]) -> Patterns:
    """The patterns of the settled rounds of one shift or of several, the oldest first."""
    shifts = [Day(day.table, [dealt for dealt in day.rounds if dealt.has_result]) for day in days]
    settled = [dealt for day in shifts for dealt in day.rounds]
    found = [row for by in _NAMES for row in _differing(settled, by)]
    found.sort(key=lambda row: (row.one_in is None, -(row.one_in or 0), -row.differ))
    return Patterns(
        payouts=tuple(found),
        shoes=tuple(_shoes(shifts)),
        boxes=tuple(_boxes(settled)),
        dealers=tuple(_dealers(settled)),
    )


_NAMES: Final[dict[GroupBy, Callable[[DealtRound, Bettor], str]]] = {
    "dealer": lambda dealt, _: dealt.dealer,
    "box": lambda _, bettor: str(bettor[0]),
    "seat": lambda _, bettor: str(bettor[1]),
    "result": lambda dealt, bettor: dealt.best.get(bettor, ""),
}


def _differing(rounds: list[DealtRound], by: GroupBy) -> Iterator[DifferingGroup]:
    groups: dict[str, _Group] = {}
    for dealt in rounds:
        for bettor in dealt.payments:
            name, off = _NAMES[by](dealt, bettor), dealt.difference(bettor)
            was = groups.get(name, _Group())
            groups[name] = _Group(was.tries + 1, was.hits + (off != 0), was.amount + off)
    tries, hits = sum(one.tries for one in groups.values()), sum(one.hits for one in groups.values())
    for name, one in groups.items():
        if one.hits and name:
            yield DifferingGroup(
                by=by,
                name=Word(word=f"result.{name}") if by == "result" else name,
                payouts=one.tries,
                differ=one.hits,
                sum=moved(one.amount),
                one_in=one_in(one.tries, one.hits, tries - one.tries, hits - one.hits, len(groups)),
            )


def _shoes(shifts: Sequence[Day]) -> Iterator[ShoeReads]:
    # By its shift: two tables of one day both have a first shoe.
    shoes: dict[tuple[int, int], list[DealtRound]] = {}
    reads: dict[str, _Group] = {}
    for number, (table, rounds) in enumerate(shifts):
        for dealt in rounds:
            shoes.setdefault((number, dealt.shoe), []).append(dealt)
            was = reads.get(table, _Group())
            reads[table] = _Group(was.tries + dealt.cards, was.hits + dealt.misread)
    before: dict[str, list[float]] = {}
    for (number, shoe), of_shoe in shoes.items():
        table, rounds = shifts[number]
        own, wrong = sum(one.cards for one in of_shoe), sum(one.misread for one in of_shoe)
        others = reads[table]
        sure, known = [p for one in of_shoe for p in one.certainties], before.get(table, [])
        yield ShoeReads(
            day=datetime.fromtimestamp(rounds[0].began_us / SECOND_US, UTC).date().isoformat(),
            table=table,
            shoe=shoe,
            cards=own,
            misread=wrong,
            by_hand=sum(one.by_hand for one in of_shoe),
            percent=round(100.0 * sum(sure) / len(sure), 2) if sure else None,
            one_in=one_in(own, wrong, others.tries - own, others.hits - wrong, len(shoes)),
            low_one_in=_low(sure, known, len(shoes)),
        )
        before[table] = sorted(known + sure)


def _low(sure: list[float], before: list[float], shoes: int) -> int | None:
    """Return how rarely so many cards of a shoe are read with little certainty; `before` is sorted."""
    if len(before) < _CARDS_BEFORE:
        return None
    usual = len(before) // _LOW_OF
    low = sum(p < before[usual] for p in sure)
    return one_in(len(sure), low, len(before), usual, shoes)


def _boxes(rounds: list[DealtRound]) -> Iterator[BoxPace]:
    spent: dict[int, list[int]] = {}
    for dealt in rounds:
        for box, took_us in dealt.answers:
            spent.setdefault(box, []).append(took_us)
    for box, took in sorted(spent.items()):
        yield BoxPace(box=box, decisions=len(took), seconds=round(sum(took) / len(took) / SECOND_US, 1))


def _dealers(rounds: list[DealtRound]) -> Iterator[DealerPace]:
    names = sorted({dealt.dealer for dealt in rounds if dealt.dealer})
    own = [[dealt for dealt in rounds if dealt.dealer == name] for name in names]
    if len(names) < _MEDIAN_OF:
        return
    paces = [mean_seconds(of_dealer) for of_dealer in own]
    usual = {name: median(one.get(name, 0.0) for one in paces) for name in mean_seconds(rounds)}
    for dealer, of_dealer, pace in zip((*names, ""), (*own, rounds), (*paces, usual), strict=True):
        seconds = {name: round(spent, 1) for name, spent in pace.items()}
        yield DealerPace(dealer=dealer, rounds=len(of_dealer), seconds=seconds)


class SeveralDays(ViewModel):
    """The result of `stand17 patterns`; `left_out` are journals that could not be read to their end."""

    days: int
    tables: tuple[str, ...]
    found: Patterns
    left_out: tuple[str, ...] = ()


def patterns_of_days(days: Iterable[Day]) -> SeveralDays:
    """Return the patterns of these days, in any order."""
    dealt = sorted((day for day in days if day.rounds), key=lambda day: day.rounds[0].began_us)
    tables = tuple(sorted({day.table for day in dealt}))
    return SeveralDays(days=len(dealt), tables=tables, found=patterns_of(dealt))


def days_in(journal: Path) -> Iterator[Day]:
    """The days of a journal. Raises `JournalError` at the first entry that does not fit."""
    shift, table = LiveShift(), ""
    with closing(JournalReader(journal)) as reader:
        # Nothing of a line goes further but how many, and how sure: no card has to be kept back.
        lines = (audit_line(trusted(entry), Secrets(frozenset())) for entry in reader.read())
        while some := list(islice(lines, LINES)):
            table = next((str(json.loads(one.body)["table"]) for one in some if one.kind == "opened"), table)
            shift.take(map(entry_line, some))
            shift.take_certainties(some)
    history = shift.history
    last = history.rows("SELECT max(round) AS last FROM entry")[0]["last"]
    # A card of the last round may still lie face down.
    history.forget_certainties(last or 0)
    for day in history.rows("SELECT DISTINCT day FROM round ORDER BY day"):
        numbers = history.rows("SELECT round FROM round WHERE day = ?", (day["day"],))
        yield Day(table, list(dealt_rounds(history, [one["round"] for one in numbers])))


def days_beside(journal: Path) -> SeveralDays | None:
    """Return the patterns of all journals in the folder of this one; None when the reading takes too long."""
    written = answer_of(_MODULE, _DAYS, str(journal.parent))
    return None if written is None else SeveralDays.model_validate_json(written)


def main() -> None:
    """Write the edge of the rules that the command line gives as JSON, or the patterns of a folder."""
    stand_back()
    what, given = sys.argv[1:]
    if what == _EDGE:
        sys.stdout.write(str(edge_percent(_RULES.validate_json(given))))
        return
    days: list[Day] = []
    left_out = []
    for journal in sorted(Path(given).glob("*.journal")):
        try:
            days += list(days_in(journal))
        except JournalError:
            left_out.append(journal.name)
    found = patterns_of_days(days)
    sys.stdout.write(found.model_copy(update={"left_out": tuple(left_out)}).model_dump_json())


if __name__ == "__main__":
    main()
