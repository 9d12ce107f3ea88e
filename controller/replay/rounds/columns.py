"""Played rounds as rows for a spreadsheet or a data frame: rounds, bets, reads, holds.

Money, times and holds are the history's; how the cards lie the engine has said. A card that was never turned
has no rank, suit or certainty in any row; amounts are in minor units.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple, get_args

from controller.acts.catalogue import CardSeen
from controller.engine.state import DEALER, Place, Seen, TableState
from controller.policy.holds import rounds_begun
from controller.replay.files.table_file import ReadFile
from controller.replay.rounds.played import PlayedRound, played_rounds
from controller.replay.rounds.shift_file import shift_of
from controller.runtime.redaction import redacted

RowKind = Literal["rounds", "bets", "reads", "holds"]
ROW_KINDS: Final[tuple[RowKind, ...]] = get_args(RowKind)


class ColumnRow(NamedTuple):
    """One round; times are seconds since `started_at`.

    `initial_minor` are the stakes before the deal, `p_min` is the least certain reading, `hold_s` the sum of
    all waits. `bets_s` to `settle_s` are the round's parts (view `phase`), None for a missing part. `dealer`
    is "" when unknown.
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
    """One part of a bettor's stake in a round with a result: a hand, or the insurance."""

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
    """One card at the end of the round; `box` 0 is the dealer.

    `line` is None when a ruling has replaced the reading.
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
    """One hold; `until_s` is None when the file ends in it. `resumed`: a person resumed play."""

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


_SELECTED: Final[Mapping[RowKind, str]] = {
    "rounds": """SELECT r.round, r.status, r.began / 1e6 AS begins_s,
      coalesce(r.ended, r.last) / 1e6 AS ends_s, l.boxes, l.hands, l.cards, r.initial AS initial_minor,
      CASE WHEN final THEN r.staked ELSE l.staked END AS staked_minor,
      CASE WHEN final THEN r.returned ELSE 0 END AS returned_minor,
      CASE WHEN final THEN r.won ELSE l.staked END AS house_win_minor,
      (SELECT min(p) FROM card c WHERE c.round = r.round) AS p_min, l.unread,
      (SELECT count(*) FROM stop s WHERE s.within = r.round) AS holds, coalesce(waits_s, 0.0) AS hold_s,
      r.alerts, r.refused, r.disputes, r.rulings, bets_s, deal_s, decisions_s, dealer_s, settle_s, r.dealer
      FROM (SELECT *, status IN ('settled', 'voided') AS final FROM round) r JOIN laid l ON l.round = r.round
      LEFT JOIN (SELECT round, max(round(took / 1e6, 3)) FILTER (WHERE name = 'bets') AS bets_s,
        max(round(took / 1e6, 3)) FILTER (WHERE name = 'deal') AS deal_s,
        max(round(took / 1e6, 3)) FILTER (WHERE name = 'turns') AS decisions_s,
        max(round(took / 1e6, 3)) FILTER (WHERE name = 'dealer') AS dealer_s,
        max(round(took / 1e6, 3)) FILTER (WHERE name = 'pay') AS settle_s,
        max(round(took / 1e6, 3)) FILTER (WHERE name = 'waits') AS waits_s
        FROM phase GROUP BY round) p ON p.round = r.round
      ORDER BY r.round""",
    "bets": """SELECT round, box, seat, hand, kind, outcome, stake AS staked_minor, returned AS returned_minor
      FROM part ORDER BY round, box, seat, nth""",
    "reads": """SELECT round, card, box, hand, rank, suit, p, by, line, t AS t_s FROM card
      ORDER BY round, rowid""",
    "holds": """SELECT within AS round, code, box, line, at / 1e6 AS from_s, until / 1e6 AS until_s, resumed
      FROM stop ORDER BY seq""",
}
"""Each kind of row by its columns, without those that a whole file has alike."""


def rows_of(file: ReadFile, kind: RowKind, *, at_table: bool) -> Iterator[Row]:
    """The rows of a file, in order."""
    history = shift_of(file, at_table=at_table).history
    for played in played_rounds(file, at_table=at_table) if kind in ("rounds", "reads") else ():
        if rounds_begun(played.state) < played.number:
            continue  # Lines between two rounds: no bet or card has begun this one, and it has no row.
        history.take_cards(played.number, _cards_of(played), _laid(played))
    for row in history.rows(_SELECTED[kind]):
        if kind == "holds":
            row["resumed"] = bool(row["resumed"])
        yield ROWS[kind](**{**_alike(file, kind), **row})


def _alike(file: ReadFile, kind: RowKind) -> dict[str, str]:
    """The columns that every row of a file has alike."""
    known = {"file": file.name, "table": file.table}
    if kind != "rounds":
        return known
    header = file.header
    more = {"rules": file.rules.name, "currency": header.currency, "started_at": header.started_at or ""}
    return known | more


def _laid(played: PlayedRound) -> tuple[int, ...]:
    """Return the numbers of boxes, hands, cards and unread cards, and the sum of the stakes."""
    state, result = played.state, played.result
    came = (one.line.obs for one in played.lines if one.came)
    unread = sum(isinstance(card, CardSeen) and card.rank is None for card in came)
    staked = sum(bet.staked for bet in (() if result is None else result.bets))
    boxes = sum(bool(box.bets) for box in state.boxes)
    return boxes, sum(len(box.hands) for box in state.boxes), sum(1 for _ in _cards(state)), unread, staked


def _cards_of(played: PlayedRound) -> Iterator[tuple[object, ...]]:
    # Identity, since two cards of one shoe can be reported in the same words.
    lines = {id(one.line.obs): one.line for one in played.lines}
    # The line is found by the reported card; the shown card comes from the masked state.
    named = {seen.n: lines.get(id(seen.obs)) for _, seen in _cards(played.state)}
    for (box, hand), seen in _cards(redacted(played.state)):
        obs, line = seen.obs, named.get(seen.n)
        by = obs.by or (None if line is None or line.by is None else str(line.by))
        told = (None, None) if line is None else (line.number, line.t)
        yield seen.n, box, hand, obs.rank, obs.suit, obs.p, by, *told


def _cards(state: TableState) -> Iterator[tuple[Place, Seen]]:
    for box in state.boxes:
        for hand in box.hands:
            for seen in hand.cards:
                yield (box.box, hand.number), seen
    for seen in state.dealer.cards:
        yield DEALER, seen
