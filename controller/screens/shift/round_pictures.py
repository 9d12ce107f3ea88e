"""What the cameras showed when a round was settled, for whoever has to prove a payout."""

import asyncio

from controller.ports import PastPictures
from controller.screens.card_pictures import CardPictures
from controller.screens.shift.record import ShiftRecord
from controller.screens.view_model import ViewModel


class RoundPicture(ViewModel):
    """A camera's picture when a round was settled; `picture` is its path for some seconds."""

    camera: str
    at_utc_us: int
    picture: str


async def round_pictures(
    record: ShiftRecord, number: int, past: PastPictures, pictures: CardPictures
) -> tuple[RoundPicture, ...]:
    """The pictures of a round of the shift; none of one that is not settled.

    At that moment every card is turned, or lies face down for good: nothing of it is a secret.
    """
    known = record.rounds.get(number)
    if known is None:
        return ()
    found = await asyncio.to_thread(past.at, known.at_utc_us)
    return tuple(
        RoundPicture(camera=one.camera, at_utc_us=one.at_utc_us, picture=path)
        for one, path in zip(found, pictures.keep(one.jpeg for one in found), strict=True)
    )
