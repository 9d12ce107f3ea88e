"""The cards that the table knows among those on the felt: found again, at rest at another box, or gone."""

from typing import Final

from controller.domain import Card
from controller.engine.hands import hidden_hole, hole_of
from controller.engine.settle import in_progress
from controller.engine.state import ACTIVE, BUST, DEAL, NATURAL, SURRENDERED, VOIDED, Seen, TableState
from controller.policy import Doubt
from controller.policy.holds import ELSEWHERE, VANISHED
from controller.witnesses.felt_view import DEALER_BOX, WatchedTime, may_be_one
from controller.witnesses.lying_card import LyingCard
from controller.witnesses.lying_cards import BACK_MS, PUSHED, LyingCards

KNOWN: Final = "known."
"""Begins the name of a card on the felt known to the table without an id: the shoe alone has reported it."""

_ELSEWHERE_MS: Final = 1000
"""A card that the table knows at another box rests there so long before somebody is asked. Not measured:
hands that push or tidy cards are done within this time."""

_VANISHED_MS: Final = 3000
"""A card of a hand is gone for so long before somebody is asked, where no other card waits to be reported.

Source: as long as `arrivals.UNREAD_MS`; the tracker calls a place empty 2 s after it has seen the felt there.
"""

_TAKEN_AWAY: Final = frozenset((BUST, NATURAL, SURRENDERED, VOIDED))
"""Hands of this status are taken off the felt during the round."""


def find_known(state: TableState, felt: LyingCards) -> None:
    """Find the round's cards among the unreported ones, so that none is reported as new."""
    hole = hole_of(state.dealer) if hidden_hole(state.dealer) else None
    for box, seen in open_cards(state):
        if felt.named(name_of(seen)) is None:
            _find(felt, box, seen, lies_open=seen is not hole)


def open_cards(state: TableState) -> list[tuple[int, Seen]]:
    """The cards of the round, each with its box."""
    cards = [(box.box, seen) for box in state.boxes for hand in box.hands for seen in hand.cards]
    return [*cards, *((DEALER_BOX, seen) for seen in state.dealer.cards)]


def entered_cards(state: TableState) -> dict[str, Card]:
    """Return the table's card for each card of the round with a known rank, by name."""
    return {name_of(seen): seen.card for _, seen in open_cards(state) if seen.obs.rank is not None}


def name_of(seen: Seen) -> str:
    """The name by which the felt knows a card of the table."""
    return seen.obs.id or f"{KNOWN}{seen.n}"


def _find(felt: LyingCards, box: int, known: Seen, *, lies_open: bool) -> None:
    """Find one card that the table knows."""
    face = "up" if lies_open else "down"
    for lying in felt.unreported():
        fits = not lies_open or any(may_be_one(read, known.card) for read in _readings(lying))
        known_by_one = lying.seen.other is not None and lies_open
        if (lying.ready or known_by_one) and (lying.seen.box, lying.seen.face) == (box, face) and fits:
            lying.known_as = name_of(known)
            felt.found_again(lying.known_as)
            return


def _readings(lying: LyingCard) -> tuple[Card | None, ...]:
    """Return the cameras' readings of a card."""
    other = lying.seen.other
    return (lying.seen.card,) if other is None else (lying.seen.card, other.card)


def lies_elsewhere(state: TableState, felt: LyingCards) -> Doubt | None:
    """Return the hold for a card that rests at another box than the table has it at; asked once.

    A finished hand is carried over other boxes as a whole, without a question.
    """
    if not in_progress(state):
        return None
    hands = [(box.box, hand.cards, hand.status == ACTIVE) for box in state.boxes for hand in box.hands]
    for box, cards, plays in (*hands, (DEALER_BOX, state.dealer.cards, True)):
        on_the_felt = [one for seen in cards if (one := felt.named(name_of(seen))) is not None]
        if not plays and all(one.seen.box != box for one in on_the_felt):
            continue
        for lying in on_the_felt:
            at = lying.seen.box
            if at == box or not _rests(lying, felt.watched):
                lying.asked_box = -1 if at == box else lying.asked_box
            elif at is not None and at != lying.asked_box:
                lying.asked_box = at
                params = ("card", str(lying.seen.card or "?")), ("from", box), ("box", at)
                return Doubt(ELSEWHERE, params, at, lying.known_as)
    return None


def _rests(lying: LyingCard, watched: WatchedTime) -> bool:
    """Whether a card certainly rests in the box in which it is seen."""
    there = lying.ready and lying.seen.in_sight and lying.seen.box_clear
    return there and lying.laid_ms is not None and watched.since(lying.laid_ms) >= _ELSEWHERE_MS


def _vanished_cards(state: TableState, felt: LyingCards) -> list[tuple[int, Seen, LyingCard]]:
    """Return the cards of the round that are gone, each with the table's box for it.

    A hand whose cards are all gone was taken away, except during the deal.
    """
    if not felt.gone:
        return []
    hands = [(box.box, hand.cards, hand.status) for box in state.boxes for hand in box.hands]
    hole = hole_of(state.dealer) if hidden_hole(state.dealer) else None
    gone = {one.known_as: one for one in felt.gone}
    found: list[tuple[int, Seen, LyingCard]] = []
    for box, cards, status in (*hands, (DEALER_BOX, state.dealer.cards, ACTIVE)):
        known = [(seen, gone.get(name_of(seen))) for seen in cards if seen is not hole]
        lost = [(box, seen, lying) for seen, lying in known if lying is not None]
        if status not in _TAKEN_AWAY and (len(lost) < len(cards) or state.phase == DEAL):
            found += lost
    return found


def find_vanished(state: TableState, felt: LyingCards) -> None:
    """Identify a new card with a vanished one of its rank in its box.

    It was pushed there, or carried on by a hand that the camera did not see, or moved by a ruling.
    """
    for box, seen, lost in _vanished_cards(state, felt):
        for lying in felt.unreported():
            at_rest = lying.ready and lying.laid_ms is not None and lying.gone_ms is None
            like = lying.seen.face == "up" and may_be_one(seen.card, lying.seen.card)
            near = lost.seen.box != box or lying.is_near(lost.seen, PUSHED, felt.card_mm)
            same = like and near and lying.seen.box == box and not felt.is_another(lost, lying.seen)
            if at_rest and same:
                lying.known_as = lost.known_as
                felt.found_again(lost.known_as)
                break


def lies_nowhere(state: TableState, felt: LyingCards) -> Doubt | None:
    """Return the hold for a hand's card that is gone from the layout; asked once.

    A card that waits to be reported may be that card, so the question comes first.
    """
    if not in_progress(state) or not felt.open_boxes:
        return None
    waits = any(one.laid_ms is not None and one.gone_ms is None for one in felt.unreported())
    for box, seen, lost in _vanished_cards(state, felt):
        wait_ms = 0 if lost.seen.track in felt.all else BACK_MS if waits else _VANISHED_MS
        if not lost.asked_gone and felt.watched.since(lost.gone_ms or 0) >= wait_ms:
            lost.asked_gone = True
            return Doubt(VANISHED, (("card", str(seen.card)), ("box", box)), box, lost.known_as)
    return None
