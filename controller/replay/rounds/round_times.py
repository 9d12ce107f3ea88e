"""Of played rounds: who dealt each, when its parts began, and every hold with its end."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from controller.acts.catalogue import Bet, CardSeen, DealerSeated, Observation, declared
from controller.domain.notices import Settled
from controller.policy.state.effects import Held, Released
from controller.policy.state.holds import Hold
from controller.replay.rounds.played import PlayedRound, RoundLine
from controller.screens.shift.round_clock import SECOND_US, RoundClock

DEALER: Final = "dealer:"


class TimedHold(NamedTuple):
    """One hold, seconds since `started_at`; `until_s` is None where the lines end in it.

    `round` is the one in which it began, `line` the one that it followed from. `resumed`: somebody let the
    table go on.
    """

    hold: Hold
    round: int
    line: int
    from_s: float
    until_s: float | None = None
    resumed: bool = False


def holds_of(rounds: Sequence[PlayedRound]) -> list[TimedHold]:
    """Every hold in the order in which they began; one that is reported again while it lasts is the same."""
    found: list[TimedHold] = []
    open_at: dict[tuple[object, ...], int] = {}
    for played in rounds:
        for line, notice in ((one, notice) for one in played.lines for notice in one.notices):
            match notice:
                case Held(hold=hold) if _key(hold) not in open_at:
                    open_at[_key(hold)] = len(found)
                    found.append(TimedHold(hold, played.number, line.line.number, line.line.t))
                case Released(hold=hold) if _key(hold) in open_at:
                    at = open_at.pop(_key(hold))
                    found[at] = found[at]._replace(until_s=line.line.t, resumed=notice.resumed)
    return found


def _key(hold: Hold) -> tuple[object, ...]:
    return hold.code, hold.round, hold.card, hold.box


def is_dealt(played: PlayedRound) -> bool:
    """Whether it has a card."""
    return any(isinstance(one.line.obs, CardSeen) for one in played.lines)


def begins_of(played: PlayedRound) -> float:
    """The time of its first bet or card; of its first line where it has none yet."""
    bets = (one.line.t for one in played.lines if isinstance(one.line.obs, Bet | CardSeen))
    return next(bets, played.lines[0].line.t)


def clock_of(played: PlayedRound, holds: Sequence[TimedHold]) -> RoundClock:
    """The clock of a round, given all holds; one without an end lasts as long as its round."""
    last = _us(played.lines[-1].line.t)
    held = [
        (_us(one.from_s), max(last, _us(one.from_s)) if one.until_s is None else _us(one.until_s))
        for one in holds
        if one.round == played.number
    ]
    # A file may leave its end out: what a table did last is where it was cleared.
    clock = RoundClock(began_us=_us(begins_of(played)), ended_us=last, held=held)
    for one in played.lines:
        if one.came:
            clock.take(declared(one.line.obs).name, _us(one.line.t))
        if not clock.settled_us and any(isinstance(notice, Settled) for notice in one.notices):
            clock.settled_us = _us(one.line.t)
    return clock


def _us(t: float) -> int:
    """Microseconds of a clock on which no round begins at 0, which means that something is still to come."""
    return SECOND_US + round(t * SECOND_US)


def dealers_of(rounds: Sequence[PlayedRound]) -> list[str]:
    """Who dealt each round: whoever was there at its first card, else the dealer who entered something in it.

    "" where neither is known.
    """
    found, now = list[str](), ""
    for played in rounds:
        dealt = None
        for obs in came(played.lines):
            if isinstance(obs, DealerSeated):
                now = obs.id if obs.at == "in" else ""
            elif isinstance(obs, CardSeen) and dealt is None:
                dealt = now
        entered = (str(one.line.by) for one in played.lines if str(one.line.by).startswith(DEALER))
        found.append((now if dealt is None else dealt) or next(entered, "").removeprefix(DEALER))
    return found


def came(lines: Sequence[RoundLine]) -> Iterator[Observation]:
    """What came with these lines, once each."""
    return (one.line.obs for one in lines if one.came)
