"""The cameras' pictures of a settled round, and of the seconds before an alert."""

import asyncio
from collections.abc import Iterable
from typing import Final, Literal

from controller.engine.state import TableState
from controller.history.shift import SECOND_US
from controller.ports import PastPicture, PastPictures
from controller.runtime.snapshot import dealer_lies_open
from controller.screens.evidence import CardPictures
from controller.screens.shapes.words import ViewModel
from controller.screens.shift.reader import LiveShift

_BEFORE_S: Final = (20, 15, 10, 5, 0)
"""How long before an alert its five pictures were taken."""


class RoundPicture(ViewModel):
    """A camera's picture of a round; `picture` is its path for some seconds."""

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
    """Return the pictures of a round of the shift; `played` is its present state, None when not kept.

    No picture of a round whose face-down card was never turned: the round may have ended by the dealer's
    peek, and the picture would show the lifted corner.
    """
    known = None if played is None else shift.rounds.get(played.book.number)
    why = _why_none(played, past)
    if why in (None, "unturned") and (known is None or not known.has_result):
        return RoundPictures(none="unsettled")
    if past is None or known is None or why is not None:
        return RoundPictures(none=why)
    return _kept(await asyncio.to_thread(past.at, known.settled_us), pictures)


async def alert_pictures(
    shift: LiveShift,
    played: TableState | None,
    past: PastPictures | None,
    pictures: CardPictures,
    *,
    at_us: int,
    now_us: int,
) -> RoundPictures:
    """Return up to five pictures of the seconds before an alert, by its round's first camera, oldest first.

    None while a card of the dealer is face down, and none of the neighbouring rounds: they may show the
    lifted corner of a secret card.
    """
    why = _why_none(played, past)
    known = None if played is None else shift.rounds.get(played.book.number)
    if past is None or known is None or why is not None:
        return RoundPictures(none=why or "not_kept")
    after = shift.rounds.get(known.number + 1)
    ends_us = now_us if after is None else after.began_us
    moments = (min(at_us, ends_us) - seconds * SECOND_US for seconds in _BEFORE_S)
    found = await asyncio.to_thread(lambda: [next(iter(past.at(moment)), None) for moment in moments])
    within = {one.at_utc_us: one for one in found if one and known.began_us <= one.at_utc_us < ends_us}
    return _kept(within.values(), pictures)


def _why_none(
    played: TableState | None, past: PastPictures | None
) -> Literal["off", "unturned", "not_kept"] | None:
    """Return the reason why no picture of a round may be shown; None when one may."""
    if past is None:
        return "off"
    if played is None:
        return "not_kept"
    return None if dealer_lies_open(played.book.rules, played.dealer) else "unturned"


def _kept(found: Iterable[PastPicture], pictures: CardPictures) -> RoundPictures:
    found = tuple(found)
    kept = tuple(
        RoundPicture(camera=one.camera, at_utc_us=one.at_utc_us, picture=path)
        for one, path in zip(found, pictures.keep(one.jpeg for one in found), strict=True)
    )
    return RoundPictures(pictures=kept, none=None if kept else "not_kept")
