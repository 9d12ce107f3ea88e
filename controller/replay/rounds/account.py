"""One played round for people: cards, decisions, holds, payouts and their reasons.

A face-down card is masked until it is turned, also after it was read or corrected.
"""

from collections.abc import Iterator, Set
from typing import Any, Final

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
from controller.engine.state import Box, Hand, Seen, TableState
from controller.feed.codec import to_json
from controller.feed.replay import Json, LockedCard, Skipped, effect_json, notice_json
from controller.policy.run import Held, Inferred, Released
from controller.replay.files.table_file import ReadFile
from controller.replay.rounds.compared_facts import MoneyOfRounds, complaint_of
from controller.replay.rounds.played import PlayedRound, RoundLine
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
    bets = MoneyOfRounds().of(played).bets
    for bet in bets:
        for part in bet["parts"]:
            assert played.result is not None, "a round with bets of a result"
            part["decided_by"] = list(deciding_rules(file.outcomes, part["outcome"], played.result.dealer))
    return bets
