"""Who dealt in a shift and how fast, which payouts were not what was due, where a round's seconds went."""

from collections.abc import Iterator, Sequence

from controller.acts.catalogue import Paid
from controller.domain.notices import Refused
from controller.engine.settle.float_account import house_win, payouts_of
from controller.feed.feed_lines import FeedLine
from controller.replay.rounds.played import PlayedRound
from controller.replay.rounds.report_parts import ReportDealer, ReportDifference, ReportPhase
from controller.replay.rounds.round_times import TimedHold, begins_of, clock_of, dealers_of, is_dealt
from controller.screens.shift.round_clock import mean_seconds

HOUR_S = 3600.0


def dealt(rounds: Sequence[PlayedRound], holds: Sequence[TimedHold]) -> dict[str, object]:
    """Dealers, differences and phases, as `ShiftReport` names them; `holds` are those of these rounds."""
    differences = [one for played in rounds for one in _differences(played)]
    settled = [one for one in rounds if one.result is not None and one.result.status == "settled"]
    phases = mean_seconds([clock_of(one, holds) for one in settled])
    return {
        "dealers": tuple(_dealers(rounds, differences)),
        "differences": tuple(differences),
        "phases": tuple(
            ReportPhase(name=name, seconds=round(seconds, 1)) for name, seconds in phases.items()
        ),
    }


def _dealers(
    rounds: Sequence[PlayedRound], differences: Sequence[ReportDifference]
) -> Iterator[ReportDealer]:
    by: dict[str, list[PlayedRound]] = {}
    for played, dealer in zip(rounds, dealers_of(rounds), strict=True):
        if is_dealt(played):
            by.setdefault(dealer, []).append(played)
    for dealer, own in by.items():
        numbers = {played.number for played in own}
        spent = sum(played.lines[-1].line.t - begins_of(played) for played in own)
        yield ReportDealer(
            dealer=dealer,
            from_t=begins_of(own[0]),
            to_t=own[-1].lines[-1].line.t,
            rounds=len(own),
            hourly=round(HOUR_S * len(own) / spent, 1) if spent else None,
            win=sum(house_win(played.state) for played in own),
            differences=sum(one.round in numbers for one in differences),
        )


def _differences(played: PlayedRound) -> Iterator[ReportDifference]:
    """The bettors who were paid otherwise than is due now, be it that it has been put right."""
    entered = _entered(played)
    for bet, _ in payouts_of(played.state):
        known = entered.get((bet.box, bet.seat), [])
        if any(amount != bet.returned for _, amount in known):
            (first, paid), (last, now) = known[0], known[-1]
            yield ReportDifference(
                round=played.number,
                t=first.t,
                box=bet.box,
                seat=bet.seat,
                due=bet.returned - bet.staked,
                paid=paid - bet.staked,
                left=now - bet.returned,
                by=str(last.by or ""),
            )


def _entered(played: PlayedRound) -> dict[tuple[int, int], list[tuple[FeedLine, int]]]:
    """What was entered as paid, by box and seat, in the order in which the table took it."""
    found: dict[tuple[int, int], list[tuple[FeedLine, int]]] = {}
    for one in (*played.lines, *played.later):
        obs = one.line.obs
        if not one.came or not isinstance(obs, Paid) or obs.round not in (None, played.number):
            continue
        if not any(isinstance(notice, Refused) for notice in one.notices):
            found.setdefault((obs.box, obs.seat), []).append((one.line, obs.amount))
    return found
