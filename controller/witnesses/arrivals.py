"""The next card of the layout for the table, with rank, hand and pose."""

from itertools import chain, count
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen
from controller.acts.round import Pose
from controller.engine.betting import close, hole_index
from controller.engine.hands import dealer_finished, hidden_hole, hole_of
from controller.engine.play import double_reason, owed_at
from controller.engine.state import (
    ACTIVE,
    BETS,
    DEAL,
    DRAW,
    INSURANCE,
    PEEK,
    PLAY,
    REVEAL,
    Box,
    Hand,
    RuleRefusal,
    Seen,
    TableState,
)
from controller.policy.holds import hands_of
from controller.witnesses.felt_view import (
    DEALER_BOX,
    FeltCard,
    FeltFinding,
    LyingCard,
    apart_mm,
    may_be_one,
    turned_by_deg,
)
from controller.witnesses.lying_cards import ACROSS_DEG, BACK_MS, COVERED_MS, RETURNED, LyingCards


def still_to_act(state: TableState) -> list[tuple[Box, Hand]]:
    """The hand to act and those behind it that are not done."""
    return [
        (box, hand)
        for box_at, box in enumerate(state.boxes)
        for hand_at, hand in enumerate(box.hands)
        if (box_at, hand_at) >= (state.box_at, state.hand_at) and hand.status == ACTIVE
    ]


def open_hand(state: TableState, box: int, number: int) -> Hand | None:
    """Return an unfinished hand among those that may still act."""
    found = [hand for one, hand in still_to_act(state) if (one.box, hand.number) == (box, number)]
    return found[0] if state.phase == PLAY and found else None


def may_take(state: TableState, box: int) -> bool:
    """Whether a card may still come to a box, or the dealer: a vanished object there may have been one."""
    if state.phase in (BETS, DEAL):
        return box in state.due or state.phase == BETS
    if box == DEALER_BOX:
        return not dealer_finished(state)
    return any(hand.status == ACTIVE for hand in hands_of(state, box))


def open_boxes(state: TableState) -> frozenset[int]:
    """The boxes to which a card may still come, 0 the dealer."""
    return frozenset(box for box in (DEALER_BOX, *(one.box for one in state.boxes)) if may_take(state, box))


def cards_of_hands(state: TableState, *, done: bool) -> tuple[frozenset[str], ...]:
    """The names of the cards of each hand that is done, or that is not."""
    hands = [hand for box in state.boxes for hand in box.hands if (hand.status != ACTIVE) == done]
    return tuple(frozenset(seen.obs.id or "-" for seen in hand.cards) for hand in hands)


def _due_box(state: TableState) -> int | None:
    """Return the target of the next card of the deal, 0 for the dealer; None when no card can come."""
    if state.phase == BETS:
        try:
            state = close(state)
        except RuleRefusal:
            return None
    return state.due[0] if state.due else None


def hole_comes_within(state: TableState, cards: int) -> bool:
    """Whether the dealer's face-down card is among the next `cards` cards of the deal."""
    if state.phase == BETS:
        try:
            state = close(state)
        except RuleRefusal:
            return False
    missing = _hole_at(state) - len(state.dealer.cards)
    dealers = [place for place, box in enumerate(state.due) if box == DEALER_BOX]
    return state.phase == DEAL and 0 <= missing < len(dealers) and dealers[missing] < cards


def _hole_at(state: TableState) -> int:
    """Return the index of the dealer's face-down card, -1 without one."""
    return hole_index(state.book.rules)


def hides_card_at(state: TableState, box: int | None) -> bool:
    """Whether an object at this box may be the secret card, lifted for a peek."""
    return box == DEALER_BOX and hidden_hole(state.dealer) and state.phase not in (REVEAL, DRAW)


_MOVED_APART: Final = 0.35
"""Card lengths by which the cards of a pair that is split get further from each other, at least."""

_HALVES_APART: Final = 0.6
"""Card lengths between the two halves, at least: they lie side by side, not on each other."""

_CLEARLY_NEARER: Final = 0.25
"""Card lengths by which one hand must be nearer to a card than the next one, to be its hand.

Not measured, as the two above: a card is 0.72 of its length wide, fans step by 0.2 to 0.3.
"""

_ALONG_DEG: Final = 30.0
"""A card turned less than this against its hand lies along; up to `ACROSS_DEG` it is asked. Not measured."""

_UNSURE_P: Final = 0.5
"""What is reported as the probability of a pose that could be either: the table asks (`SURE_POSE`)."""


RestingPairs = dict[tuple[str, str], float]
"""How far apart the two cards of a hand were laid, in millimetres, by the ids that the table has for them."""


class HandOfCard(NamedTuple):
    """The hand that a card lies at, 0 for any of its box; `clear`: it cannot be another one."""

    number: int
    clear: bool = True


class LaidPose(NamedTuple):
    """The pose of a card in its hand, and its certainty."""

    pose: Pose | None
    p: float = 1.0


class HandPlaces:
    """Looks a card up among the hands of its box, by where their cards lie now."""

    def __init__(self, lying: LyingCards) -> None:
        """`lying` is the felt as it is known."""
        self._lying = lying
        self._rest_mm: RestingPairs = {}

    def mark(self) -> RestingPairs:
        """Return the resting distances of the pairs."""
        return dict(self._rest_mm)

    def rewind(self, pairs: RestingPairs) -> None:
        """Know only this of pairs again."""
        self._rest_mm = dict(pairs)

    def forget(self) -> None:
        """A round is over: pairs of its cards come no more."""
        self._rest_mm = {}

    def cards_of(self, hand: Hand) -> list[LyingCard]:
        """The cards of a hand that lie on the felt, in the order in which they came."""
        found = [self._lying.named(seen.obs.id or "-") for seen in hand.cards]
        return [card for card in found if card is not None]

    def hand_of(self, state: TableState, card: FeltCard) -> HandOfCard:
        """The hand of its box that is nearest to a card, by the nearest of the hand's cards."""
        return self._hand_among(hands_of(state, card.box or 0), card)

    def nearest(self, box: Box, card: FeltCard) -> int:
        """Return the number of the box's hand nearest to a card; 0 when none of its cards is known."""
        return self._hand_among(box.hands, card).number

    def holds_apart(self, state: TableState, box: int, number: int) -> bool:
        """Whether this hand's two cards lie apart without a split, which is asked."""
        return any(self.is_apart(hand) for hand in hands_of(state, box) if hand.number == number)

    def _hand_among(self, hands: tuple[Hand, ...], card: FeltCard) -> HandOfCard:
        if len(hands) < 2:
            return HandOfCard(hands[0].number if hands else 0)
        distances = [
            (min(apart_mm(other.seen, card) for other in cards), hand.number)
            for hand in hands
            if (cards := self.cards_of(hand))
        ]
        if not distances:
            return HandOfCard(0, clear=False)
        (least, nearest), *rest = sorted(distances)
        slack = _CLEARLY_NEARER * self._lying.card_mm
        return HandOfCard(nearest, all(other - least > slack for other, _ in rest))

    def pose_of(self, state: TableState, card: FeltCard, number: int) -> LaidPose:
        """Return a card's pose against the first of its hand; unsure only when a double is possible."""
        hand = next((one for one in hands_of(state, card.box or 0) if one.number == number), None)
        if hand is None:
            return LaidPose(None)
        lay = [self._lying.was_named(seen.obs.id or "-") for seen in hand.cards]
        first = next((one for one in lay if one is not None), None)
        turned = None if first is None else turned_by_deg(first.seen, card)
        doubles = hand.status == ACTIVE and double_reason(state.book.rules, hand) is None
        if turned is not None and turned <= _ALONG_DEG:
            return LaidPose("along")
        if turned is not None and turned >= ACROSS_DEG:
            return LaidPose("across")
        return LaidPose("across", _UNSURE_P) if doubles else LaidPose(None)

    def taken_away_ms(self, hand: Hand) -> int | None:
        """Since when no card of a hand lies there any more; None while one does."""
        ids = {seen.obs.id for seen in hand.cards}
        gone_ms = [one.gone_ms or 0 for one in self._lying.gone if one.known_as in ids]
        return max(gone_ms) if gone_ms and len(gone_ms) >= len(hand.cards) else None

    def swept(self, state: TableState, card: LyingCard) -> bool:
        """Whether a read but unreported card was taken away with a hand of its box."""
        taken = [self.taken_away_ms(hand) for hand in hands_of(state, card.seen.box or 0)]
        gone_ms = card.gone_ms or 0
        return card.ready and any(ms is not None and abs(ms - gone_ms) <= COVERED_MS for ms in taken)

    def is_apart(self, hand: Hand) -> bool:
        """Whether the two cards of a hand have been moved apart since they were laid."""
        if len(hand.cards) != 2:
            return False
        pair = self.cards_of(hand)
        if len(pair) < 2 or not all(card.seen.in_sight and card.laid_ms is not None for card in pair):
            return False
        now_mm = apart_mm(pair[0].seen, pair[1].seen)
        laid_mm = pair[1].beside_mm.get(pair[0].seen.track, now_mm)
        rest_mm = self._rest_mm.setdefault((pair[0].known_as, pair[1].known_as), min(laid_mm, now_mm))
        length = self._lying.card_mm
        return now_mm > max(rest_mm + _MOVED_APART * length, _HALVES_APART * length)

    def note_pairs(self, state: TableState) -> None:
        """Remember how far apart the two cards of each hand were laid."""
        for box in state.boxes:
            for hand in box.hands:
                self.is_apart(hand)

    def swap_halves(self, box: Box, owed: Hand, card: FeltCard) -> None:
        """Make the half of a split pair that gets the first card the due one.

        Both halves are equal to the rules; only the card shows which one the dealer plays first.
        """
        behind = box.hands[box.hands.index(owed) + 1 :]
        other = next((hand for hand in behind if hand.split and len(hand.cards) == 1), None)
        if len(owed.cards) != 1 or other is None:
            return
        first, second = self._lying_of(owed.cards[0]), self._lying_of(other.cards[0])
        if first is None or second is None:
            return
        slack = _CLEARLY_NEARER * self._lying.card_mm
        if apart_mm(second.seen, card) + slack < apart_mm(first.seen, card):
            first.known_as, second.known_as = second.known_as, first.known_as

    def _lying_of(self, seen: Seen) -> LyingCard | None:
        return self._lying.named(seen.obs.id or "-")


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
        due = _due_box(state)
        down = due == DEALER_BOX and len(state.dealer.cards) == _hole_at(state)
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
