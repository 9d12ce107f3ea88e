"""Played rounds as rows for a spreadsheet or a data frame: rounds, bets, reads, holds.

A card that was never turned has no rank, suit or certainty in any row; amounts are in minor units.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, get_args

from controller.acts.catalogue import RULINGS, CardSeen
from controller.engine.constants import DEALER, Place
from controller.engine.state import Seen, TableState
from controller.policy.state.rounds import rounds_begun
from controller.replay.files.table_file import ReadFile
from controller.replay.rounds.compared_facts import complaint_of
from controller.replay.rounds.played import PlayedRound
from controller.replay.rounds.round_times import begins_of, came, clock_of, dealers_of, holds_of
from controller.runtime.redaction import redacted
from controller.screens.shift.round_clock import SECOND_US, PhaseName, RoundClock

RowKind = Literal["rounds", "bets", "reads", "holds"]
ROW_KINDS: Final[tuple[RowKind, ...]] = get_args(RowKind)
PARTS: Final[Mapping[str, PhaseName]] = {
    "bets_s": "bets",
    "deal_s": "deal",
    "decisions_s": "turns",
    "dealer_s": "dealer",
    "settle_s": "pay",
}


class ColumnRow(NamedTuple):
    """One round; times are seconds since `started_at`.

    `initial_minor` are the stakes before the deal, `p_min` the least certain card that was read, `hold_s` how
    long the table waited, whatever for; `bets_s` to `settle_s` are the round's parts (`RoundClock`), None
    where it has none. `dealer` is who dealt, "" where nobody has said so.
    """

    file: str
    table: str
    rules: str
    currency: str
    started_at: str
    round: int
    status: str
    begins_s: float
    ends_s: float
    boxes: int
    hands: int
    cards: int
    initial_minor: int
    staked_minor: int
    returned_minor: int
    house_win_minor: int
    p_min: float | None
    unread: int
    holds: int
    hold_s: float
    alerts: int
    refused: int
    disputes: int
    rulings: int
    bets_s: float | None
    deal_s: float | None
    decisions_s: float | None
    dealer_s: float | None
    settle_s: float | None
    dealer: str = ""


class BetRow(NamedTuple):
    """One part of what a bettor had at stake in a round that has a result: a hand, or the insurance."""

    file: str
    table: str
    round: int
    box: int
    seat: int
    hand: int
    kind: str
    outcome: str
    staked_minor: int
    returned_minor: int


class ReadRow(NamedTuple):
    """One card as it lay at the end of the round; `box` 0 is the dealer.

    `line` is None where a ruling has put another card in the place of the one that was read.
    """

    file: str
    table: str
    round: int
    card: int
    box: int
    hand: int
    rank: str | None
    suit: str | None
    p: float | None
    by: str | None
    line: int | None
    t_s: float | None


class TimedHoldRow(NamedTuple):
    """One hold; `until_s` is None where the file ends in it. `resumed`: somebody let the table go on."""

    file: str
    table: str
    round: int
    code: str
    box: int | None
    line: int
    from_s: float
    until_s: float | None
    resumed: bool


Row = ColumnRow | BetRow | ReadRow | TimedHoldRow
ROWS: Final[Mapping[RowKind, type[Row]]] = {
    "rounds": ColumnRow,
    "bets": BetRow,
    "reads": ReadRow,
    "holds": TimedHoldRow,
}


def rows_of(file: ReadFile, rounds: list[PlayedRound], kind: RowKind) -> Iterator[Row]:
    """The rows of a played file, in order."""
    makers: Mapping[RowKind, Callable[[ReadFile, list[PlayedRound]], Iterator[Row]]] = {
        "rounds": _rounds,
        "bets": _bets,
        "reads": _reads,
        "holds": _holds,
    }
    return makers[kind](file, rounds)


def _rounds(file: ReadFile, rounds: list[PlayedRound]) -> Iterator[Row]:
    holds = holds_of(rounds)
    for played, dealer in zip(rounds, dealers_of(rounds), strict=True):
        if rounds_begun(played.state) < played.number:
            continue  # Lines between two rounds: no bet or card has begun this one.
        own = sum(hold.round == played.number for hold in holds)
        yield _round(file, played, clock_of(played, holds), own)._replace(dealer=dealer)


def _round(file: ReadFile, played: PlayedRound, clock: RoundClock, holds: int) -> ColumnRow:
    state = redacted(played.state)
    cards = [seen.obs for _, seen in _cards(state)]
    bets = () if played.result is None else played.result.bets
    staked, returned = (sum(bet.staked for bet in bets), sum(bet.returned for bet in bets))
    names = [complaint_of(notice) for _, notice in played.notices]
    kinds = [name.kind for name in names if name is not None]
    last = played.lines[-1].line
    return ColumnRow(
        file=file.name,
        table=file.table,
        rules=file.rules.name,
        currency=file.header.currency,
        started_at=file.header.started_at or "",
        round=played.number,
        status="open" if played.result is None else played.result.status,
        begins_s=begins_of(played),
        ends_s=last.t,
        boxes=sum(bool(box.bets) for box in state.boxes),
        hands=sum(len(box.hands) for box in state.boxes),
        cards=len(cards),
        initial_minor=sum(stake for box in state.boxes for _, stake in box.bets),
        staked_minor=staked,
        returned_minor=returned,
        house_win_minor=staked - returned,
        p_min=min((card.p for card in cards if card.p is not None), default=None),
        unread=sum(isinstance(card, CardSeen) and card.rank is None for card in came(played.lines)),
        holds=holds,
        hold_s=round(clock.waited_us / SECOND_US, 3),
        alerts=kinds.count("alert"),
        refused=kinds.count("refused"),
        disputes=kinds.count("dispute"),
        rulings=sum(isinstance(one, RULINGS) for one in came([*played.lines, *played.later])),
        **_parts(clock),
    )


def _parts(clock: RoundClock) -> dict[str, Any]:
    spent = clock.seconds()
    return {column: round(spent[name], 3) if name in spent else None for column, name in PARTS.items()}


def _bets(file: ReadFile, rounds: list[PlayedRound]) -> Iterator[Row]:
    for played in rounds:
        for bet in () if played.result is None else played.result.bets:
            for part in bet.parts:
                yield BetRow(
                    file.name,
                    file.table,
                    played.number,
                    bet.box,
                    bet.seat,
                    part.hand,
                    part.kind,
                    part.outcome,
                    part.stake,
                    part.returned,
                )


def _reads(file: ReadFile, rounds: list[PlayedRound]) -> Iterator[Row]:
    for played in rounds:
        # Identity, since two cards of one shoe can be reported in the same words.
        lines = {id(one.line.obs): one.line for one in played.lines}
        # The line is found by the card as it was reported, what is shown comes from the masked state.
        cards_in_words = {seen.n: lines.get(id(seen.obs)) for _, seen in _cards(played.state)}
        for (box, hand), seen in _cards(redacted(played.state)):
            obs, line = seen.obs, cards_in_words.get(seen.n)
            yield ReadRow(
                file.name,
                file.table,
                played.number,
                seen.n,
                box,
                hand,
                obs.rank,
                obs.suit,
                obs.p,
                obs.by or (None if line is None or line.by is None else str(line.by)),
                None if line is None else line.number,
                None if line is None else line.t,
            )


def _cards(state: TableState) -> Iterator[tuple[Place, Seen]]:
    for box in state.boxes:
        for hand in box.hands:
            for seen in hand.cards:
                yield (box.box, hand.number), seen
    for seen in state.dealer.cards:
        yield DEALER, seen


def _holds(file: ReadFile, rounds: list[PlayedRound]) -> Iterator[Row]:
    for one in holds_of(rounds):
        box = one.hold.box if one.hold.box >= 0 else None
        yield TimedHoldRow(
            file.name,
            file.table,
            one.round,
            one.hold.code,
            box,
            one.line,
            one.from_s,
            one.until_s,
            resumed=one.resumed,
        )
