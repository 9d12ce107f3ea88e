"""The rounds of a recording as a camera over the felt saw them: which card came to lie open, and when."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen, Move, Strike, Swap
from controller.engine import TableState
from controller.engine.dealer import hidden_hole
from controller.engine.state import Seen
from controller.journal.entry import Entry
from controller.replay.history.reconstruct import device_of
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.ledger.unread import follow
from vision.enrolment import DealtCard, DealtRound
from vision.reading import CardName

CAMERA: Final = "camera"
"""Begins what a card says of its source where that is a camera."""


class _NamedCard(NamedTuple):
    """A card that was reported: its number in the round, when, and whether a camera alone says what it is."""

    n: int
    mono_ms: int
    by_camera: bool
    down: bool = False


class RoundsOfRecording:
    """Gathers the rounds that begin and are cleared within a recording, from its journal entries."""

    def __init__(self, before: Ledger | None, cameras: frozenset[str]) -> None:
        """Begin at the table `before`; a word of these `cameras` is no other witness's word."""
        self._ledger = before
        self._cameras = cameras
        self._named: list[_NamedCard] = []
        # A round that is under way has cards that nobody saw coming.
        self._whole = before is None or before.state.cards_seen == 0

    def take(self, entry: Entry, mono_ms: int) -> DealtRound | None:
        """Follow the next entry; the round that ends with it, None where it ends none."""
        if self._ledger is None:
            self._ledger = open_ledger(entry)
            return None
        before = self._ledger.state
        self._ledger = follow(self._ledger, entry)
        after = self._ledger.state
        if after.book.number != before.book.number:
            cards = tuple(self._cards(before)) if self._whole else ()
            self._named, self._whole = [], True
            return DealtRound(cards, _moved(before)) if cards else None
        if hidden_hole(before.dealer) and after.dealer.revealed:
            # The card for which the dealer turned it, where one did, lay there later.
            hole = after.dealer.cards[after.dealer.hole]
            self._named.append(_NamedCard(hole.n, mono_ms, self._by_camera(hole.obs, None)))
        if after.cards_seen > before.cards_seen:
            self._named += [
                _NamedCard(
                    seen.n,
                    mono_ms,
                    self._by_camera(seen.obs, device_of(entry)),
                    _is_face_down(after, seen),
                )
                for seen in _cards_at_hands(after)
                if seen.n == after.cards_seen
            ]
        return None

    def _by_camera(self, seen: CardSeen, device: str | None) -> bool:
        """Whether no other than a camera of the table has reported a card; `device` is the fact's."""
        return device in self._cameras if seen.by is None else seen.by.startswith(CAMERA)

    def _cards(self, end: TableState) -> Iterator[DealtCard]:
        """The cards by their last names; one that was taken out of the round since has none."""
        names = {seen.n: seen.card for seen in _cards_at_hands(end)}
        for recorded in self._named:
            card = names.get(recorded.n)
            if recorded.by_camera or card is None or card.rank is None or card.suit is None:
                yield DealtCard(recorded.mono_ms, None, recorded.down)
            else:
                yield DealtCard(recorded.mono_ms, CardName(str(card.rank), card.suit), recorded.down)


def _cards_at_hands(state: TableState) -> list[Seen]:
    """The cards of the boxes and of the dealer."""
    boxes = [seen for box in state.boxes for hand in box.hands for seen in hand.cards]
    return [*boxes, *state.dealer.cards]


def _moved(end: TableState) -> bool:
    """Whether a pair was split, or a ruling says that a card lay elsewhere, or was none of the round's."""
    ruled = any(isinstance(fact.obs, Move | Strike | Swap) for fact in end.log)
    return ruled or any(len(box.hands) > 1 for box in end.boxes)


def _is_face_down(state: TableState, seen: Seen) -> bool:
    """Whether it is the dealer's face-down card."""
    return hidden_hole(state.dealer) and state.dealer.cards[state.dealer.hole].n == seen.n
