"""What of the shift goes beyond chance: wrong payouts, cards read wrongly, and which box takes the time.

A group is compared with all others of the shift: at their rate, how seldom would so many of its payouts
differ by chance alone (the binomial tail)? That is said from 1 in CHANCE times the groups on, so that of a
hundred shifts without a pattern one names a group.
"""

from collections.abc import Callable, Iterable, Iterator
from math import exp, lgamma, log, log1p
from typing import Final, Literal, NamedTuple

from controller.domain.money import Money
from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.values import Money as Amount
from controller.screens.shapes.values import Word
from controller.screens.shift.day_rounds import Bettor, DayRound
from controller.screens.shift.sentences import moved

CHANCE: Final = 100
SECOND_US: Final = 1_000_000

GroupBy = Literal["dealer", "box", "seat", "result"]


class DifferingGroup(ViewModel):
    """Payouts of one dealer, box, place or result: how many differed, and the sum that went to the players.

    `one_in` is how seldom chance makes it so many, None where it is within chance.
    """

    by: GroupBy
    name: str | Word
    payouts: int
    differ: int
    sum: Amount
    one_in: int | None


class ShoeReads(ViewModel):
    """The cards of a shoe: those that the pit named otherwise, those entered by hand, the mean certainty.

    `percent` is None where no device says how sure it is; `one_in` as in `DifferingGroup`, of the misreads.
    """

    shoe: int
    cards: int
    misread: int
    by_hand: int
    percent: float | None
    one_in: int | None


class BoxPace(ViewModel):
    """How often a box was asked, and how long it took to answer, seconds."""

    box: int
    decisions: int
    seconds: float


class Patterns(ViewModel):
    """Groups with a difference alone, those beyond chance first; shoes and boxes in order."""

    payouts: tuple[DifferingGroup, ...]
    shoes: tuple[ShoeReads, ...]
    boxes: tuple[BoxPace, ...]


class _Group(NamedTuple):
    tries: int = 0
    hits: int = 0
    amount: int = 0


def patterns_of(rounds: Iterable[DayRound]) -> Patterns:
    """The patterns of the settled rounds of a shift."""
    settled = [dealt for dealt in rounds if dealt.settled]
    found = [row for by in _NAMES for row in _differing(settled, by)]
    found.sort(key=lambda row: (row.one_in is None, -(row.one_in or 0), -row.differ))
    return Patterns(payouts=tuple(found), shoes=tuple(_shoes(settled)), boxes=tuple(_boxes(settled)))


def one_in(tries: int, hits: int, others: int, other_hits: int, groups: int) -> int | None:
    """How seldom `hits` or more of `tries` come at the rate of the others; None where chance may make it.

    The rate is that of the others with half a hit more, so that none among a few is not never.
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


def _result(dealt: DayRound, bettor: Bettor) -> str:
    """The best of what his hands came to: it is what is paid wrongly."""
    for bet in dealt.settled["bets"]:
        if (bet["box"], bet["seat"]) == bettor:
            best = max(bet["parts"], key=lambda part: int(part["returned"]), default=None)
            return "" if best is None else str(best["outcome"])
    return ""


_NAMES: Final[dict[GroupBy, Callable[[DayRound, Bettor], str]]] = {
    "dealer": lambda dealt, _: dealt.dealer,
    "box": lambda _, bettor: str(bettor[0]),
    "seat": lambda _, bettor: str(bettor[1]),
    "result": _result,
}


def _differing(rounds: list[DayRound], by: GroupBy) -> Iterator[DifferingGroup]:
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
                sum=moved(Money(one.amount)),
                one_in=one_in(one.tries, one.hits, tries - one.tries, hits - one.hits, len(groups)),
            )


def _shoes(rounds: list[DayRound]) -> Iterator[ShoeReads]:
    shoes: dict[int, list[DayRound]] = {}
    for dealt in rounds:
        shoes.setdefault(dealt.shoe, []).append(dealt)
    cards, misread = sum(dealt.cards for dealt in rounds), sum(dealt.misread for dealt in rounds)
    for shoe, of_shoe in sorted(shoes.items()):
        own, wrong = sum(one.cards for one in of_shoe), sum(one.misread for one in of_shoe)
        sure = [p for one in of_shoe for p in one.certainties]
        yield ShoeReads(
            shoe=shoe,
            cards=own,
            misread=wrong,
            by_hand=sum(one.by_hand for one in of_shoe),
            percent=round(100.0 * sum(sure) / len(sure), 2) if sure else None,
            one_in=one_in(own, wrong, cards - own, misread - wrong, len(shoes)),
        )


def _boxes(rounds: list[DayRound]) -> Iterator[BoxPace]:
    spent: dict[int, list[int]] = {}
    for dealt in rounds:
        for box, took_us in dealt.answers:
            spent.setdefault(box, []).append(took_us)
    for box, took in sorted(spent.items()):
        yield BoxPace(box=box, decisions=len(took), seconds=round(sum(took) / len(took) / SECOND_US, 1))
