"""The hand of a card within its box, its pose there, and whether a pair has been moved apart."""

from typing import Final, NamedTuple

from controller.acts.round import Pose
from controller.engine.play import double_reason
from controller.engine.state import ACTIVE, Box, Hand, Seen, TableState
from controller.policy.holds import hands_of
from controller.witnesses.felt_view import FeltCard, apart_mm, turned_by_deg
from controller.witnesses.lying_card import LyingCard
from controller.witnesses.lying_cards import ACROSS_DEG, COVERED_MS, LyingCards

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
