"""The next card of the layout for the table, with rank, hand and pose."""

from itertools import chain, count
from typing import Final

from controller.acts.catalogue import CardSeen
from controller.engine.hands import hidden_hole, hole_of
from controller.engine.play import owed_at
from controller.engine.state import BETS, DEAL, DRAW, INSURANCE, PEEK, PLAY, Box, TableState
from controller.witnesses.due_cards import due_box, hole_at, may_take
from controller.witnesses.felt_finding import FeltFinding
from controller.witnesses.felt_view import DEALER_BOX, may_be_one
from controller.witnesses.hand_places import HandPlaces
from controller.witnesses.lying_card import LyingCard
from controller.witnesses.lying_cards import BACK_MS, RETURNED, LyingCards

UNREAD_MS: Final = 3000
"""What lies unread for so long, free of hands, is reported as a card that nobody could read. Not measured:
the reader needs 0.3 s for a card that it can read."""

HAND_MS: Final = 20_000
"""On what a hand stays for so long somebody is asked, though nothing else waits: a table that says nothing is
taken for one that has seen the card. Hands stop for 6 s at most in the films of `tests/witnesses`.
"""

_TOGETHER_MS: Final = 500
"""Cards that were first seen within this time are taken in the order of play: one may have been hidden by the
hand that laid the other. Not measured."""


class Arrivals:
    """Selects the next card among the unreported ones; changes nothing."""

    def __init__(self, camera: str, lying: LyingCards, hands: HandPlaces, late_ms: int) -> None:
        """Prepare the selection; `camera` reports the cards when it is the only one.

        A card that comes before the due one waits `late_ms` for it: cards are not read in the order in which
        they were laid.
        """
        self.late_ms: Final = late_ms
        self._camera = camera
        self._lying = lying
        self._hands = hands

    def next(self, state: TableState) -> FeltFinding | None:
        """The card that comes next, not noted as reported; None while it has to be waited for."""
        swept = [one for one in self._lying.passed if self._hands.swept(state, one)]
        came = [one for one in self._lying.vanished if may_take(state, one.seen.box or 0)]
        passed = [one for one in (*self._lying.passed, *self._lying.vanished) if one not in (*swept, *came)]
        self._lying.vanished, self._lying.passed = [*swept, *came], passed
        unreported = self._lying.unreported()
        if not unreported:
            return None
        if state.phase in (BETS, DEAL):
            lying = self._next_in_deal(state, unreported)
        else:
            lying = self._next_in_play(state, unreported)
        return None if lying is None else self.card(state, lying)

    def _next_in_deal(self, state: TableState, unreported: list[LyingCard]) -> LyingCard | None:
        """Return the due card of the deal; after a while any other that has come."""
        due = due_box(state)
        down = due == DEALER_BOX and len(state.dealer.cards) == hole_at(state)
        at_due = [one for one in unreported if one.seen.box == due]
        fits = [one for one in at_due if due != DEALER_BOX or (one.seen.face == "down") == down]
        ready = next((one for one in fits if self._is_laid(one)), None)
        if ready is not None:
            return ready
        if any(not self._is_laid(one) for one in at_due):
            return next((one for one in at_due if self._is_unread(one)), None)
        return next((one for one in unreported if self.is_late(one) and self._is_settled(one)), None)

    def _next_in_play(self, state: TableState, unreported: list[LyingCard]) -> LyingCard | None:
        """Return the earliest card; of simultaneous ones the first in the order of play."""
        if state.phase in (INSURANCE, PEEK):
            return next((one for one in unreported if self.is_late(one) and self._is_settled(one)), None)
        first = unreported[0].since_ms
        together = [one for one in unreported if one.since_ms - first <= _TOGETHER_MS]
        order = {box.box: place for place, box in enumerate(state.boxes)}
        lying = min(together, key=lambda one: order.get(one.seen.box or 0, len(order)))
        if not self._is_settled(lying):
            return None
        turning = lying.seen.box == DEALER_BOX and hidden_hole(state.dealer) and state.phase != DRAW
        return None if turning and not self.is_late(lying) else lying

    def _is_settled(self, lying: LyingCard) -> bool:
        return self._is_laid(lying) or self._is_unread(lying)

    def _is_laid(self, lying: LyingCard) -> bool:
        """Whether the card is certain, and no hand holds it any more."""
        return lying.ready and lying.laid_ms is not None and not self._may_lie_elsewhere(lying)

    def _is_unread(self, lying: LyingCard) -> bool:
        if lying.seen.other is not None:
            return True
        if lying.ready or lying.laid_ms is None:
            return False
        if lying.gone_ms is not None:
            back = self._lying.watched.since(lying.gone_ms) < BACK_MS
            return not back and not self._may_lie_elsewhere(lying)
        return self._lying.watched.since(lying.laid_ms) >= UNREAD_MS

    def is_late(self, lying: LyingCard) -> bool:
        """Whether the cards due before this one have had their time."""
        return lying.laid_ms is not None and self._lying.watched.since(lying.laid_ms) >= self.late_ms

    def in_a_hand(self, state: TableState) -> LyingCard | None:
        """Return an object that delays other cards and may lie there or not: a person must look.

        A hand stays on it though others were laid long ago, or it is gone and may lie elsewhere by now.
        """
        unreported = self._lying.unreported()
        hole = hole_of(state.dealer)
        turned = (
            None if hole is None or not hidden_hole(state.dealer) else self._lying.named(hole.obs.id or "-")
        )
        late = any(self.is_late(one) and not self._may_lie_elsewhere(one) for one in unreported)
        late |= turned is not None and turned.ready and turned.seen.face == "up"
        watched, now_ms = self._lying.watched, self._lying.now_ms
        for lying in unreported:
            held_ms = 0 if lying.laid_ms is not None else watched.since(lying.since_ms)
            away = self._may_lie_elsewhere(lying) and watched.since(lying.gone_ms or now_ms) >= BACK_MS
            if held_ms >= (self.late_ms if late else HAND_MS) or away:
                return lying
        return None

    def _may_lie_elsewhere(self, lying: LyingCard) -> bool:
        """Whether an unreported card that is gone may be a later card at another place."""
        if lying.gone_ms is None or lying.dismissed:
            return False
        return any(
            one.since_ms > lying.since_ms
            and not one.known_as
            and not one.is_near(lying.seen, RETURNED, self._lying.card_mm)
            and (not lying.ready or one.seen.card is None or may_be_one(lying.seen.card, one.seen.card))
            for one in self._lying.all.values()
        )

    def card(self, state: TableState, lying: LyingCard) -> FeltFinding:
        """Return a card for the table, with its hand and pose."""
        seen, box = lying.seen, lying.seen.box or 0
        rank, suit = (None, None) if seen.card is None or not lying.ready else seen.card
        by = f"camera:{seen.camera}" if seen.camera else self._camera
        found = _new_id(state, f"{by}.{state.book.number}.{seen.track}")
        if box == DEALER_BOX:
            dealt = CardSeen(rank, suit, by, seen.p, "dealer", face=seen.face, id=found)
            return FeltFinding(dealt, lying)
        hand, laid = self._hands.hand_of(state, seen), None
        number, clear = hand.number, hand.clear and seen.box_clear
        if state.phase == PLAY:
            owner = next((one for one in state.boxes if one.box == box), None)
            number = number if owner is None else self._due_half(owner, number, lying)
            laid = self._hands.pose_of(state, seen, number)
            clear = clear and not self._hands.holds_apart(state, box, number)
        pose, p = (None, 1.0) if laid is None else laid
        p = min(seen.p, p)
        card = CardSeen(rank, suit, by, p, "box", box, number or 1, seen.face, pose, found)
        return FeltFinding(card, lying, unclear=not clear)

    def _due_half(self, box: Box, number: int, lying: LyingCard) -> int:
        """Return the hand of a card after a split: the half that gets the first card is due."""
        owed = owed_at(box)
        if owed < 0:
            return number
        self._hands.swap_halves(box, box.hands[owed], lying.seen)
        return self._hands.nearest(box, lying.seen) or number


def _new_id(state: TableState, wanted: str) -> str:
    """The id of a card that the table does not know yet.

    A camera that begins anew counts its tracks from 1 again: the id may be that of another card of the round.
    """
    known = {fact.obs.id for fact in state.log if isinstance(fact.obs, CardSeen)}
    again = (f"{wanted}.{number}" for number in count(2))
    return next(one for one in chain((wanted,), again) if one not in known)
