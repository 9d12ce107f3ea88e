"""The cards on the felt over time: since when each lies there, which the table knows, and which are gone."""

import math
from typing import Final, NamedTuple

from controller.domain import Card
from controller.engine.hands import hidden_hole, hole_of
from controller.engine.settle import in_progress
from controller.engine.state import ACTIVE, BUST, DEAL, NATURAL, SURRENDERED, VOIDED, Seen, TableState
from controller.policy import Doubt
from controller.policy.holds import ELSEWHERE, VANISHED
from controller.witnesses.felt_view import (
    DEALER_BOX,
    SAME_PLACE,
    FeltCard,
    FeltReading,
    LyingCard,
    PlaceMm,
    UnreadSpots,
    WatchedTime,
    apart_mm,
    copies,
    may_be_one,
    turned_by_deg,
)

BACK_MS: Final = 700
"""What is not back after this long was taken away. Not measured: the reader finds a card again in 0.3 s."""

COVERED_MS: Final = 1500
"""What turns unclear on a known card from so long before a new card of its box was first seen until so long
after it came to rest is what that one covers.

Not measured; the reader is certain of a new card, and finds what it covers, within this time.
"""

RETURNED: Final = 0.6
"""Card lengths: a card that comes back so near to where one of its name was lost sight of is that card.

Not measured; a card that is picked up and laid back in its hand.
"""

_PUSHED: Final = 2.5
"""Card lengths: the same of a card of a hand in play, which nobody takes away: it was pushed aside.

Not measured; the halves of a pair that was split twice make room for each other by a card or two.
"""

ACROSS_DEG: Final = 60.0
"""A card turned more than this against its hand lies across. Not measured; hands lay cards within 15 degrees.
"""

_INDEX_REACH: Final = 0.6
"""Card lengths: an index lies so near to the middle of its card, so something unread there may be its."""

_ENDS_APART: Final = 1.0
"""The same of a card of which one index alone was seen: the other one lies nearly a length away."""


class LyingMark(NamedTuple):
    """The felt as it was known at a moment, in copies that nothing changes."""

    now_ms: int
    watched: WatchedTime
    card_mm: float
    cards: tuple[LyingCard, ...]
    gone: tuple[LyingCard, ...]
    vanished: tuple[LyingCard, ...]
    passed: tuple[LyingCard, ...]
    empty_since_ms: int | None
    spots: int
    covered: tuple[FeltCard, ...]


class LyingCards:
    """Remembers the objects on the layout from picture to picture."""

    def __init__(self) -> None:
        """Begin with an empty felt."""
        self.now_ms = 0
        self.watched = WatchedTime()
        self.card_mm = 88.0
        self.all: dict[int, LyingCard] = {}
        self.gone: list[LyingCard] = []
        """Cards that the table knows and that lie there no more, of this round."""
        self.vanished: list[LyingCard] = []
        """What was there, with a track or without one, was never reported, and is there no more."""
        self.passed: list[LyingCard] = []
        """Of these what lay at a place to which no card could come."""
        self.empty_since_ms: int | None = None
        self.done: tuple[frozenset[str], ...] = ()
        """The cards of each hand that is done: once it is taken away, a like one that comes is another."""
        self.played: tuple[frozenset[str], ...] = ()
        """The cards of each other hand."""
        self.entered: dict[str, Card] = {}
        """What the table has for the cards of the round whose rank it knows, by id."""
        self.open_boxes: frozenset[int] = frozenset()
        """Boxes (0: the dealer) to which a card may still come."""
        self._spots = 0
        self._covered: list[FeltCard] = []

    def mark(self) -> LyingMark:
        """The felt as it is known now."""
        return LyingMark(
            self.now_ms,
            self.watched.copy(),
            self.card_mm,
            copies(self.all.values()),
            copies(self.gone),
            copies(self.vanished),
            copies(self.passed),
            self.empty_since_ms,
            self._spots,
            tuple(self._covered),
        )

    def rewind(self, mark: LyingMark) -> None:
        """Know the felt as at that moment again."""
        self.now_ms, self.card_mm = mark.now_ms, mark.card_mm
        self.watched = mark.watched.copy()
        self.all = {lying.seen.track: lying for lying in copies(mark.cards)}
        self.gone, self.vanished = list(copies(mark.gone)), list(copies(mark.vanished))
        self.passed = list(copies(mark.passed))
        self.empty_since_ms, self._spots, self._covered = mark.empty_since_ms, mark.spots, list(mark.covered)

    def follow(
        self,
        done: tuple[frozenset[str], ...],
        played: tuple[frozenset[str], ...],
        open_boxes: frozenset[int],
        entered: dict[str, Card],
    ) -> None:
        """Take the table's present knowledge of the round."""
        self.done, self.played, self.open_boxes, self.entered = done, played, open_boxes, entered

    def see(self, view: FeltReading) -> None:
        """Take a camera's view after the next picture."""
        self.now_ms, self.card_mm = view.t_ms, view.card_mm
        self.watched.look(view.t_ms if view.whole_ms is None else view.whole_ms)
        shown = self._each_back_once(view.cards)
        for card in view.cards:
            self._follow(card, shown)
        spots = self._unread(view.unread, shown)
        shown |= spots.shown()
        lost = [lying for track, lying in self.all.items() if track not in shown]
        self._lose(lost, view.let_go)
        before = self.all
        turned = {
            card.box
            for track, card in shown.items()
            if card.face == "up" and track in before and before[track].seen.face == "down"
        }
        self.all = {}
        for track, card in shown.items():
            known = before.get(track)
            if known is not None and self.is_another(known, card):
                known.gone_ms = view.t_ms
                self.gone.append(known)
                known = None
            if known is None:
                known = self._arrived(card._replace(track=track), lost)
            known.seen_as(card._replace(track=track), view.t_ms, view.card_mm)
            self.all[track] = known
        spots.note(self.all)
        for track in shown.keys() - before.keys():
            self._note_beside(self.all[track])
        self.vanished = [
            one
            for one in self.vanished
            if not self._was_of_a_card(one)
            # A track that may have been the back was the back, followed twice until it was certain.
            and not (one.seen.perhaps and one.seen.box in turned)
        ]
        self._note_empty()

    def _each_back_once(self, cards: tuple[FeltCard, ...]) -> dict[int, FeltCard]:
        """Return the cards by their tracks; of two backs at one place, the earlier one."""
        shown: dict[int, FeltCard] = {}
        for card in sorted(cards, key=lambda one: (one.track not in self.all, one.track)):
            backs = (one for one in shown.values() if one.face == card.face == "down" and one.box == card.box)
            if all(apart_mm(one, card) >= RETURNED * self.card_mm for one in backs):
                shown[card.track] = card
        return shown

    def _note_empty(self) -> None:
        if any(lying.seen.box is not None for lying in self.all.values()):
            self.empty_since_ms = None
        elif self.empty_since_ms is None:
            self.empty_since_ms = self.now_ms

    def _note_beside(self, newer: LyingCard) -> None:
        for track, other in self.all.items():
            if other is not newer and other.seen.box == newer.seen.box:
                newer.beside_mm.setdefault(track, apart_mm(other.seen, newer.seen))

    def _lose(self, lost: list[LyingCard], let_go: tuple[PlaceMm, ...]) -> None:
        for lying in lost:
            guessed = any(math.dist(lying.seen.at_mm, place) < RETURNED * self.card_mm for place in let_go)
            lying.gone_ms = self.now_ms
            if lying.known_as:
                self.gone.append(lying)
            # A card never seen free of hands was carried on: it is not laid yet.
            elif lying.seen.box is not None and lying.laid_ms is not None and not guessed:
                self.vanished.append(lying)

    def _was_of_a_card(self, spot: LyingCard) -> bool:
        """Whether a vanished unread spot without a track was an index of a card that is read now.

        Such a card came with it or later, or is fully visible where the spot lay on it.
        """
        return spot.seen.track < 0 and any(
            (spot.seen.on_known and card.ready and card.seen.in_sight)
            or card.since_ms >= spot.since_ms - COVERED_MS
            for card in self.all.values()
            if card.seen.track > 0
            and card.is_near(
                spot.seen, _ENDS_APART if card.seen.turn_deg is None else _INDEX_REACH, self.card_mm
            )
        )

    def named(self, entered: str) -> LyingCard | None:
        """The card that the table knows by this id, if it lies there."""
        return next((lying for lying in self.all.values() if lying.known_as == entered), None)

    def was_named(self, entered: str) -> LyingCard | None:
        """Return a card by its id, also after it was taken away in this round, with its last place."""
        return self.named(entered) or next((lying for lying in self.gone if lying.known_as == entered), None)

    def found_again(self, entered: str) -> None:
        """Note that the card of this id lies there under another track: it was not taken away."""
        self.gone = [lying for lying in self.gone if lying.known_as != entered]

    def unreported(self) -> list[LyingCard]:
        """Return the objects that the table does not know, the earliest first, also after they are gone."""
        found = [
            lying
            for lying in (*self.all.values(), *self.vanished)
            if not (lying.known_as or lying.dismissed or (lying.seen.on_known and self._is_covered(lying)))
        ]
        in_a_box = [lying for lying in found if lying.seen.box is not None]
        return sorted(in_a_box, key=lambda lying: lying.since_ms)

    def forget_gone(self) -> None:
        """Forget the lost objects of a round that is over."""
        self.gone, self.vanished, self.passed, self._covered = [], [], [], []

    def _is_covered(self, spot: LyingCard) -> bool:
        """Whether an unclear spot on a known card is that card, partly covered by one that came with it."""
        seen = spot.seen
        if any(
            known.box == seen.box and apart_mm(known, seen) < SAME_PLACE * self.card_mm
            for known in self._covered
        ):
            return True
        covered = any(
            one.since_ms - COVERED_MS <= spot.since_ms <= (one.laid_ms or self.now_ms) + COVERED_MS
            for one in self.all.values()
            if one.seen.track > 0 and one.seen.box == seen.box
        )
        if covered:
            self._covered.append(seen)
        return covered

    def _unread(self, unread: tuple[FeltCard, ...], followed: dict[int, FeltCard]) -> UnreadSpots:
        """Assign the unread spots of a view to earlier objects and to followed cards."""
        there = {track: one for track, one in self.all.items() if track < 0 or one.unread}
        for track, card in followed.items():
            there[track] = self.all.get(track) or LyingCard(card, self.now_ms)
        spots = UnreadSpots(there, followed.keys(), self._spots, self.now_ms, self.card_mm)
        for spot in unread:
            spots.add(spot)
        self._spots = spots.last
        return spots

    def _arrived(self, card: FeltCard, lost: list[LyingCard]) -> LyingCard:
        """Return the object of a newcomer: one that is back, an unread one now read, or a new card."""
        for known in self.gone:
            if self._is_back(known, card):
                self.gone.remove(known)
                known.gone_ms, known.asked_gone = None, False
                return known
        unknown = [one for one in (*lost, *self.vanished, *self.passed) if not one.known_as]
        waited = [one for one in unknown if one.is_near(card, SAME_PLACE, self.card_mm)]
        carried = [one for one in unknown if one.seen.track == card.track > 0]
        self.vanished = [one for one in self.vanished if one not in (*waited, *carried)]
        self.passed = [one for one in self.passed if one not in (*waited, *carried)]
        since_ms = min((one.since_ms for one in waited), default=self.now_ms)
        places = [place for one in waited for place in one.places]
        return LyingCard(card, since_ms, places=places)

    def _is_back(self, known: LyingCard, card: FeltCard) -> bool:
        """Whether a newcomer is a lost card: at its old place, pushed, or with its own track."""
        if self.is_another(known, card):
            return False
        like = known.seen.face == card.face and may_be_one(known.seen.card, card.card)
        if known.unread:
            back = self._may_be(known, card) and known.is_where(card, RETURNED, self.card_mm)
        else:
            back = like and known.is_near(card, RETURNED, self.card_mm)
            back |= like and self._in_play(known) and known.is_near(card, _PUSHED, self.card_mm)
        return back or (like and self._is_same(known, card))

    def is_another(self, known: LyingCard, card: FeltCard) -> bool:
        """Whether a present card contradicts the table's card of a hand in play.

        Another rank is read than was entered for it, or it lies across although it was laid along.
        """
        if not (known.known_as and self._plays(known) and card.certain and card.in_sight):
            return False
        turned = turned_by_deg(known.seen, card)
        return (known.by_answer and not self._may_be(known, card)) or (
            turned is not None and turned >= ACROSS_DEG
        )

    def _may_be(self, known: LyingCard, card: FeltCard) -> bool:
        """Whether an unread object may be this card, by the name that a person has entered."""
        entered = self.entered.get(known.known_as)
        return entered is None or card.card is None or may_be_one(entered, card.card)

    def _follow(self, card: FeltCard, followed: dict[int, FeltCard]) -> None:
        """Identify the beginning of an unread track with an unread object at its place."""
        if card.track in self.all or card.card is not None or card.face == "down":
            return
        for lost in self.vanished:
            if not lost.known_as and lost.is_where(card, SAME_PLACE, self.card_mm):
                self.vanished.remove(lost)
                lost.gone_ms, self.all[card.track] = None, lost
                return
        for track, lying in self.all.items():
            share = RETURNED if lying.known_as else SAME_PLACE
            alone = lying.unread and track not in followed
            if alone and lying.is_where(card, share, self.card_mm):
                self.all[card.track] = self.all.pop(track)
                return

    def _plays(self, known: LyingCard) -> bool:
        return any(known.known_as in hand for hand in self.played)

    def _in_play(self, known: LyingCard) -> bool:
        """Whether the table has a card in an unfinished hand."""
        return not any(known.known_as in hand for hand in self.done)

    def _is_same(self, known: LyingCard, card: FeltCard) -> bool:
        """Whether the track alone identifies the card at its new place: a carried card is no new one.

        The tracker may confuse an equal card with one that was just taken away with its hand.
        """
        gone = {one.known_as for one in self.gone}
        # Where a card was not seen that broke a hand, the table does not know that it is done.
        hands = self.done if known.seen.box == card.box else (*self.done, *self.played)
        taken_away = any(known.known_as in hand and hand <= gone for hand in hands)
        return known.seen.track == card.track and not (taken_away and card.box in self.open_boxes)


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
            near = lost.seen.box != box or lying.is_near(lost.seen, _PUSHED, felt.card_mm)
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
