"""What the cameras showed when a round was settled, for whoever has to prove a payout."""

import asyncio
from typing import Literal

from controller.engine.state import TableState
from controller.ports import PastPictures
from controller.runtime.snapshot.released import dealer_lies_open
from controller.screens.evidence import CardPictures
from controller.screens.shapes.words import ViewModel
from controller.screens.shift.reader import LiveShift


class RoundPicture(ViewModel):
    """A camera's picture when a round was settled; `picture` is its path for some seconds."""

    camera: str
    at_utc_us: int
    picture: str


class RoundPictures(ViewModel):
    """The pictures of a round, and why there are none.

    Recording is off, the round is not settled, its face-down card was never turned, or nothing is kept.
    """

    pictures: tuple[RoundPicture, ...] = ()
    none: Literal["off", "unsettled", "unturned", "not_kept"] | None = None


async def round_pictures(
    shift: LiveShift, played: TableState | None, past: PastPictures | None, pictures: CardPictures
) -> RoundPictures:
    """The pictures of a round of the shift, `played` as it stands now, None where it is kept no longer.

    None of one whose face-down card was never turned: what ended it may have been the dealer's look at that
    card, and then the picture shows the corner that he lifted.
    """
    if past is None:
        return RoundPictures(none="off")
    known = None if played is None else shift.rounds.get(played.book.number)
    if played is None or known is None or not known.has_result:
        return RoundPictures(none="not_kept" if played is None else "unsettled")
    if not dealer_lies_open(played.book.rules, played.dealer):
        return RoundPictures(none="unturned")
    found = await asyncio.to_thread(past.at, known.settled_us)
    kept = tuple(
        RoundPicture(camera=one.camera, at_utc_us=one.at_utc_us, picture=path)
        for one, path in zip(found, pictures.keep(one.jpeg for one in found), strict=True)
    )
    return RoundPictures(pictures=kept, none=None if kept else "not_kept")
