"""What rated bettors are worth: time, stakes, and the win that the rules and their play let expect.

In go the lines as the table took them; out comes a row for each pseudonym. Amounts are in minor units, times
in seconds. A round counts for whoever is rated at its place when it settles.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from controller.acts.catalogue import Decision, Rated, TableDay
from controller.acts.round.decision import Action
from controller.analyser import Deal, analyse
from controller.domain.cards import POINTS
from controller.replay.files.table_file import ReadFile
from controller.replay.rounds.played import PlayedRound, door_rules, played_rounds

Place = tuple[int, int]
"""Box and seat."""

PAIR: Final = 2


@dataclass
class Rating:
    """One pseudonym. `opened` are the opening stakes, `won` is what the house has won of all stakes.

    `expected` is the house edge of the opening stakes; `by_play` has with it what the box's opening decisions
    cost beside the best ones. Both in minor units. `seconds` run from the first to the last round of a stay.
    """

    guest: str
    rounds: int = 0
    seconds: float = 0.0
    opened: int = 0
    won: int = 0
    expected: float = 0.0
    by_play: float = 0.0

    @property
    def average(self) -> float:
        """The average opening stake, minor units."""
        return self.opened / self.rounds if self.rounds else 0.0


def add_ratings(file: ReadFile, ratings: dict[str, Rating]) -> None:
    """Add what a file's rated bettors did."""
    analysis = analyse(door_rules(file, at_table=file.at_table))
    edge = analysis.edge_percent / 100.0
    deals = {(min(deal.cards), max(deal.cards), deal.up): deal for deal in analysis.deals}
    rated: dict[Place, str] = {}
    since: dict[Place, float] = {}
    for played in played_rounds(file, at_table=file.at_table):
        _sit(played, rated, since)
        if played.result is None or played.result.status != "settled":
            continue
        stakes = {(box.box, seat): int(stake) for box in played.state.boxes for seat, stake in box.bets}
        for bet in played.result.bets:
            at = (bet.box, bet.seat)
            if at in rated and at in stakes:
                rating = ratings.setdefault(rated[at], Rating(rated[at]))
                cost = _cost(played, bet.box, deals)
                ends = played.lines[-1].line.t
                rating.rounds += 1
                rating.seconds += ends - since.setdefault(at, played.lines[0].line.t)
                rating.opened += stakes[at]
                rating.won += int(bet.staked - bet.returned)
                rating.expected += edge * stakes[at]
                rating.by_play += (edge + cost) * stakes[at]
                since[at] = ends


def _sit(played: PlayedRound, rated: dict[Place, str], since: dict[Place, float]) -> None:
    """Who sits where by the end of a round's lines; a new day begins with nobody."""
    for one in played.lines:
        match one.line.obs:
            case Rated(box=box, seat=seat, guest=guest):
                since.pop((box, seat), None)
                if guest is None:
                    rated.pop((box, seat), None)
                else:
                    rated[box, seat] = guest
            case TableDay(state="open"):
                rated.clear()
                since.clear()


def _cost(played: PlayedRound, box: int, deals: Mapping[tuple[int, int, int], Deal]) -> float:
    """What a box's first decision loses beside the best one, in opening stakes; 0 where none was entered."""
    first = next(_decisions(played, box), None)
    own = next((one for one in played.state.boxes if one.box == box), None)
    up = next((seen.obs.rank for seen in played.state.dealer.cards), None)
    # A pair that was split lies in two hands: their first cards are the pair.
    dealt = [seen for hand in own.hands for seen in hand.cards] if own is not None else []
    ranks = [seen.obs.rank for seen in sorted(dealt, key=lambda seen: seen.n)[:PAIR]]
    if first is None or up is None or len(ranks) < PAIR or None in ranks:
        return 0.0
    low, high = sorted(POINTS[rank] for rank in ranks if rank is not None)
    deal = deals.get((low, high, POINTS[up]))
    if deal is None or first not in deal.plays:
        return 0.0
    return max(deal.plays.values()) - deal.plays[first]


def _decisions(played: PlayedRound, box: int) -> Iterator[Action]:
    for one in played.lines:
        if one.came and isinstance(one.line.obs, Decision) and one.line.obs.box == box:
            yield one.line.obs.action
