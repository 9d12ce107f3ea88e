"""What the cameras showed when a round was settled, for whoever has to prove a payout."""

import asyncio

from controller.engine.state import TableState
from controller.ports import PastPictures
from controller.runtime.snapshot.released import dealer_lies_open
from controller.screens.evidence.card_pictures import CardPictures
from controller.screens.shapes.base import ViewModel
from controller.screens.shift.reader import LiveShift


class RoundPicture(ViewModel):
    """A camera's picture when a round was settled; `picture` is its path for some seconds."""

    camera: str
    at_utc_us: int
    picture: str


async def round_pictures(
    shift: LiveShift, played: TableState, past: PastPictures, pictures: CardPictures
) -> tuple[RoundPicture, ...]:
    """The pictures of a round of the shift, `played` as it stands now; none of one that is not settled.

    Nor of one whose face-down card was never turned: what ended it may have been the dealer's look at that
    card, and then the picture shows the corner that he lifted.
    """
    known = shift.rounds.get(played.book.number)
    if known is None or not known.has_result or not dealer_lies_open(played.book.rules, played.dealer):
        return ()
    found = await asyncio.to_thread(past.at, known.settled_us)
    return tuple(
        RoundPicture(camera=one.camera, at_utc_us=one.at_utc_us, picture=path)
        for one, path in zip(found, pictures.keep(one.jpeg for one in found), strict=True)
    )
