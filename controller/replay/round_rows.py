"""Played rounds for people and for a spreadsheet: an account of one round, rows of all.

Money, times and holds are the history's; how the cards lie the engine has said. A face-down card is masked
until it is turned, also after it was read or corrected; amounts are in minor units.
"""

from collections.abc import Iterator, Mapping, Set
from typing import Any, Final, Literal, get_args

from controller.acts.catalogue import (
    RULINGS,
    Bet,
    CardSeen,
    ChipReading,
    Close,
    Correct,
    Decision,
    End,
    InsuranceClosed,
    Observation,
    Rated,
    RestCard,
    Reveal,
    ShoeEnded,
)
from controller.domain import Alert, Notice
from controller.engine.state import DEALER, Box, Hand, Place, Seen, TableState
from controller.feed.codec import to_json
from controller.feed.replay import Json, LockedCard, Skipped, effect_json, notice_json
from controller.policy.holds import rounds_begun
from controller.policy.run import Held, Inferred, Released
from controller.replay.difference import MoneyOfRounds, complaint_of
from controller.replay.played import PlayedRound, RoundLine, played_rounds
from controller.replay.shift_file import shift_of
from controller.replay.table_file import ReadFile
from controller.rules import deciding_rules
from controller.runtime.redaction import PLAIN, WITNESSED, hide_cards, is_secret, names_witnessed, redacted

_NOT_LISTED: Final = (Bet, CardSeen, Close, InsuranceClosed, Reveal, End)
"""What stands with the boxes."""
NOT_SHOWN: Final = (ChipReading, RestCard, ShoeEnded, Rated)
"""What is of no round. The cards of a shoe's rest would name a card that was never turned."""


def round_account(file: ReadFile, played: PlayedRound) -> Json:
    """The object that `stand17 show --json` prints; amounts are in minor units, `t` in seconds."""
    state = redacted(played.state)
    secret = is_secret(played.state)
    rulings = [one.line.obs for one in (*played.lines, *played.later)]
    corrected = {ruling.card for ruling in rulings if isinstance(ruling, Correct) and ruling.card is not None}
    first, last = played.lines[0].line, played.lines[-1].line
    return {
        "type": "account",
        "file": file.name,
        "table": file.header.table,
        "rules": file.rules.name,
        "currency": file.header.currency,
        "started_at": file.header.started_at,
        "round": played.number,
        "status": "open" if played.result is None else played.result.status,
        "lines": [first.number, last.number],
        "t": [first.t, last.t],
        "dealer": _cards(state.dealer.cards, state.dealer.total, corrected),
        "boxes": [_box(box, state, corrected) for box in state.boxes],
        "events": list(_events(played, secret=secret)),
        "money": _money(file, played),
    }


def _cards(cards: tuple[Seen, ...], total: int, corrected: Set[int]) -> Json:
    """Return the cards of a hand; `p` is the reader's certainty of each.

    It is null when not reported, for a face-down card, and for a card that a person has named.
    """
    sure = [None if card.obs.rank is None or card.n in corrected else card.obs.p for card in cards]
    return {
        "cards": [str(card.card) for card in cards],
        "p": sure,
        "total": total,
    }


def _box(box: Box, state: TableState, corrected: Set[int]) -> Json:
    return {
        "box": box.box,
        "stakes": [{"seat": seat, "stake": stake} for seat, stake in box.bets],
        "insurance": [{"seat": seat, "stake": stake} for seat, stake in box.insurance],
        "hands": [_hand(hand, corrected) for hand in box.hands],
        "to_act": state.current is not None and state.current[0].box == box.box,
    }


def _hand(hand: Hand, corrected: Set[int]) -> Json:
    return {
        "hand": hand.number,
        **_cards(hand.cards, hand.total, corrected),
        "stakes": [{"seat": seat, "stake": stake} for seat, stake in hand.stakes],
        "doubled": hand.doubled,
        "split": hand.split,
    }


def _events(played: PlayedRound, *, secret: bool) -> Iterator[Json]:
    """Yield the lines and their effects, in order; `late` for those after the round."""
    for recorded in played.lines:
        yield from _line_events(recorded, secret=secret, late=False)
    for recorded in played.later:
        yield from _line_events(recorded, secret=secret, late=True)


def _line_events(one: RoundLine, *, secret: bool, late: bool) -> Iterator[Json]:
    placed: Json = {"line": one.line.number, "t": one.line.t, **({"late": True} if late else {})}
    by = one.by or (str(one.line.by) if one.line.by is not None else "")
    who = {"by": by} if by else {}
    if one.came and not isinstance(one.line.obs, (*_NOT_LISTED, *NOT_SHOWN)):
        yield {"event": _kind(one.line.obs), **placed, **who, "told": _masked(one.line.obs, secret=secret)}
    for notice in one.notices:
        if isinstance(notice, Skipped):
            continue
        if complaint_of(notice) is not None or isinstance(notice, Released | Inferred):
            yield _noticed(notice, placed, secret=secret)


def _kind(observation: Observation) -> str:
    if isinstance(observation, RULINGS):
        return "ruling"
    return "decision" if isinstance(observation, Decision) else "told"


def _masked(observation: Observation, *, secret: bool) -> Json:
    fields = to_json(observation)
    return hide_cards("fact", fields) if secret and not isinstance(observation, CardSeen) else fields


def _noticed(notice: Notice | Held | Released | Inferred | LockedCard, placed: Json, *, secret: bool) -> Json:
    found = (
        effect_json(notice)
        if isinstance(notice, Held | Released | Inferred | LockedCard)
        else notice_json(notice)
    )
    if isinstance(notice, Alert):
        del found["round"]
    params: dict[str, Any] = found.pop("params", {})
    if secret:
        shown = PLAIN - WITNESSED if names_witnessed(tuple(params.items())) else PLAIN
        params = {key: value for key, value in params.items() if key in shown}
    kind = found.pop("type")
    return {"event": kind, **placed, **found, **({"params": params} if params else {})}


def _money(file: ReadFile, played: PlayedRound) -> list[Json]:
    """The amounts of each bettor, and the numbers of the house's requirements that decided each stake."""
    bets, _ = MoneyOfRounds().of(played)
    for bet in bets:
        for part in bet["parts"]:
            assert played.result is not None, "a round with bets of a result"
            part["decided_by"] = list(deciding_rules(file.outcomes, part["outcome"], played.result.dealer))
    return bets


RowKind = Literal["rounds", "bets", "reads", "holds"]
ROW_KINDS: Final[tuple[RowKind, ...]] = get_args(RowKind)


Row = dict[str, object]

_FILE: Final = dict.fromkeys(("file", "table"), str)
_TABLE: Final = dict.fromkeys(("file", "table", "rules", "currency", "started_at"), str)

COLUMNS: Final[Mapping[RowKind, Mapping[str, type]]] = {
    "rounds": {
        **_TABLE,
        "round": int,
        "status": str,
        **dict.fromkeys(("begins_s", "ends_s"), float),
        **dict.fromkeys(("boxes", "hands", "cards"), int),
        **dict.fromkeys(("initial_minor", "staked_minor", "returned_minor", "house_win_minor"), int),
        "p_min": float,
        **dict.fromkeys(("unread", "holds"), int),
        "hold_s": float,
        **dict.fromkeys(("alerts", "refused", "disputes", "rulings"), int),
        **dict.fromkeys(("bets_s", "deal_s", "decisions_s", "dealer_s", "settle_s"), float),
        "dealer": str,
    },
    "bets": {
        **_FILE,
        **dict.fromkeys(("round", "box", "seat", "hand"), int),
        **dict.fromkeys(("kind", "outcome"), str),
        **dict.fromkeys(("staked_minor", "returned_minor"), int),
    },
    "reads": {
        **_FILE,
        **dict.fromkeys(("round", "card", "box", "hand"), int),
        **dict.fromkeys(("rank", "suit"), str),
        "p": float,
        "by": str,
        "line": int,
        "t_s": float,
    },
    "holds": {
        **_FILE,
        "round": int,
        "code": str,
        **dict.fromkeys(("box", "line"), int),
        **dict.fromkeys(("from_s", "until_s"), float),
        "resumed": bool,
    },
}
"""Each kind of row by its columns and their types; None is a missing value.

Of a round: times are seconds since `started_at`, `initial_minor` are the stakes before the deal, `p_min` is
the least certain reading, `hold_s` the sum of all waits, `bets_s` to `settle_s` are its parts (view `phase`),
`dealer` is "" when unknown. A bet is one part of a bettor's stake in a round with a result: a hand, or the
insurance. A read is one card at the end of the round: `box` 0 is the dealer, and `line` is missing when a
ruling has replaced the reading. Of a hold `until_s` is missing when the file ends in it; `resumed`: a person
resumed play.
"""


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
    header = file.header
    alike = {
        "file": file.name,
        "table": file.table,
        "rules": file.rules.name,
        "currency": header.currency,
        "started_at": header.started_at or "",
    }
    for row in history.rows(_SELECTED[kind]):
        if kind == "holds":
            row["resumed"] = bool(row["resumed"])
        yield {name: alike.get(name, row.get(name)) for name in COLUMNS[kind]}


def _laid(played: PlayedRound) -> tuple[int, ...]:
    """Return the numbers of boxes, hands, cards and unread cards, and the sum of the stakes."""
    state, result = played.state, played.result
    came = (one.line.obs for one in played.lines if one.came)
    unread = sum(isinstance(card, CardSeen) and card.rank is None for card in came)
    staked = sum(bet.staked for bet in (() if result is None else result.bets))
    boxes = sum(bool(box.bets) for box in state.boxes)
    return (
        boxes,
        sum(len(box.hands) for box in state.boxes),
        sum(1 for _ in _placed_cards(state)),
        unread,
        staked,
    )


def _cards_of(played: PlayedRound) -> Iterator[tuple[object, ...]]:
    # Identity, since two cards of one shoe can be reported in the same words.
    lines = {id(one.line.obs): one.line for one in played.lines}
    # The line is found by the reported card; the shown card comes from the masked state.
    named = {seen.n: lines.get(id(seen.obs)) for _, seen in _placed_cards(played.state)}
    for (box, hand), seen in _placed_cards(redacted(played.state)):
        obs, line = seen.obs, named.get(seen.n)
        by = obs.by or (None if line is None or line.by is None else str(line.by))
        told = (None, None) if line is None else (line.number, line.t)
        yield seen.n, box, hand, obs.rank, obs.suit, obs.p, by, *told


def _placed_cards(state: TableState) -> Iterator[tuple[Place, Seen]]:
    for box in state.boxes:
        for hand in box.hands:
            for seen in hand.cards:
                yield (box.box, hand.number), seen
    for seen in state.dealer.cards:
        yield DEALER, seen
