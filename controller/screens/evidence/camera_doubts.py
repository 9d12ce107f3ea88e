"""Cards that a camera was certain of and now reads otherwise: what the pit is asked, and what follows."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.acts.catalogue import Correct
from controller.domain import Card
from controller.engine.dealer import hidden_hole
from controller.engine.state import TableState
from controller.runtime.api import NameCard, TableSnapshot
from controller.runtime.contradictions import DEALER_BOX, UNSURE, UNSURE_DEALER, compatible, unsure
from controller.runtime.witness.tracked_cards import TrackedCard, card_of
from controller.screens.disclosure import may_picture
from controller.screens.evidence.card_pictures import CardPictures, mismatches_at
from controller.screens.felt import cards_at, open_card
from controller.screens.shapes.acts import NameAct
from controller.screens.shapes.rows import DoubtRow
from controller.screens.shapes.texts import described
from controller.screens.shapes.values import OpenCard

CODES: Final = (UNSURE, UNSURE_DEALER)


class CameraDoubt(NamedTuple):
    """A card that a camera may be wrong about; `spot` is where, None where it no longer sees the card.

    The camera reads `seen` instead of what it `was`, and a hold asks for it; None where nothing is asked.
    """

    camera: str
    box: int
    was: Card
    seen: Card | None
    spot: TrackedCard | None

    @property
    def at(self) -> tuple[int, int] | None:
        """Its place in whole pixels."""
        return None if self.spot is None else (round(self.spot.at[0]), round(self.spot.at[1]))


def doubts_of(snapshot: TableSnapshot, pictures: CardPictures) -> tuple[CameraDoubt, ...]:
    """The open questions, in the order in which they were asked."""
    return tuple(_doubts(snapshot, pictures))


def _doubts(snapshot: TableSnapshot, pictures: CardPictures) -> Iterator[CameraDoubt]:
    for hold in snapshot.holds:
        params = dict(hold.params)
        was, seen = card_of(str(params.get("was", ""))), card_of(str(params.get("seen", "")))
        if hold.code not in CODES or was is None or seen is None:
            continue
        camera, box = hold.by.partition(":")[2], int(params.get("box", DEALER_BOX))
        spots = (
            spot for spot in pictures.at(box) if (spot.camera, spot.card, spot.seen) == (camera, was, seen)
        )
        yield CameraDoubt(camera, box, was, seen, next(spots, None))


def doubt_rows(snapshot: TableSnapshot, pictures: CardPictures) -> tuple[DoubtRow, ...]:
    """The questions as the pit's page shows them."""
    return tuple(
        _row(snapshot, pictures, number, doubt) for number, doubt in enumerate(doubts_of(snapshot, pictures))
    )


def _row(snapshot: TableSnapshot, pictures: CardPictures, number: int, doubt: CameraDoubt) -> DoubtRow:
    assert doubt.seen is not None, "a question is about two cards"
    place = _at_table(snapshot.state, doubt)
    table = None if place is None else cards_at(snapshot.state, doubt.box)[place]
    question = unsure(doubt.box, str(doubt.was), str(doubt.seen))
    shown = doubt.spot is not None and may_picture(snapshot, doubt.box, place)
    return DoubtRow(
        doubt=number,
        text=described("hold", question.code, question.params),
        was=_face(doubt.was),
        seen=_face(doubt.seen),
        name=NameAct(
            camera=doubt.camera, box=doubt.box, at=doubt.at, was=str(doubt.was), seen=str(doubt.seen)
        ),
        correct=None if table is None else {"obs": "correct", "card": table.n},
        table=None if table is None else open_card(table),
        picture=pictures.picture((doubt.spot,)) if shown and doubt.spot is not None else None,
    )


def _face(card: Card) -> OpenCard:
    return OpenCard(card=0, rank=card.rank, suit=card.suit)


def _at_table(state: TableState, doubt: CameraDoubt) -> int | None:
    """Which of the box's cards is in doubt: the only one that table and camera had for the same."""
    cards = enumerate(cards_at(state, doubt.box))
    like = [place for place, seen in cards if seen.card.rank and compatible(seen.card, doubt.was)]
    return like[0] if len(like) == 1 else None


def namings_of(
    pictures: CardPictures, before: TableSnapshot, after: TableSnapshot, ruling: Correct
) -> tuple[NameCard, ...]:
    """What a camera has to know after the pit has corrected a card of the running round.

    At most one thing, and only where it cannot mean another card: the question that this answers, or the one
    card that the camera sees beside what the table now knows, and takes for what the table took it for.
    """
    found = _card_in(before.state, ruling)
    if found is None:
        return ()
    box, old = found
    said = [
        _answer(doubt, ruling)
        for doubt in doubts_of(after, pictures)
        if doubt.box == box and compatible(old, doubt.was)
    ]
    said = said or [
        _answer(CameraDoubt(spot.camera, box, card, None, spot), ruling)
        for spot, card in _strangers(pictures, after, box, ruling)
        if compatible(old, card) and card.rank != ruling.rank
    ]
    return tuple(said) if len(said) == 1 else ()


def _answer(doubt: CameraDoubt, ruling: Correct) -> NameCard:
    """Tell the camera what was ruled; a suit that nobody named is the one that was read with this rank."""
    was, seen = doubt.was, doubt.seen
    read = seen.suit if seen is not None and seen.rank == ruling.rank else None
    card = Card(ruling.rank, ruling.suit or read or was.suit)
    instead = None if seen is None else str(seen)
    return NameCard(doubt.camera, doubt.box, doubt.at, str(was), instead, str(card), ruling.reason)


def _card_in(state: TableState, ruling: Correct) -> tuple[int, Card] | None:
    """The box of the corrected card and what it was taken for; None for a card that must not be spoken of."""
    if ruling.round not in (None, state.book.number):
        return None
    for box in (DEALER_BOX, *(entry.box for entry in state.boxes)):
        if box == DEALER_BOX and hidden_hole(state.dealer):
            continue
        for seen in cards_at(state, box):
            if seen.n == ruling.card and seen.card.rank is not None:
                return box, seen.card
    return None


def _strangers(
    pictures: CardPictures, after: TableSnapshot, box: int, ruling: Correct
) -> Iterator[tuple[TrackedCard, Card]]:
    """For each camera the one card that it sees instead of the corrected one."""
    cards = cards_at(after.state, box)
    corrected = next((seen.card for seen in cards if seen.n == ruling.card), None)
    for lying in mismatches_at(pictures.at(box), [seen.card for seen in cards]):
        if len(lying.strangers) == 1 and lying.missing == (corrected,):
            spot = lying.strangers[0]
            assert spot.card is not None, "a stranger is a certain card"
            yield spot, spot.card
