"""What the cameras over the layout see now, for whoever looks at the table."""

from typing import Literal

from controller.runtime.api import TableSnapshot
from controller.runtime.witness.tracked_cards import CameraSight
from controller.screens.disclosure import may_show_dealer
from controller.screens.evidence.card_pictures import CardPictures
from controller.screens.shapes.base import ViewModel


class OutlineView(ViewModel):
    """A card in the picture: `card` as `8h`, "" where the camera knows none; `seen` is what it reads instead.

    `corners` are x, y of each, one after the other; `box` is where it lies, 0 for the dealer,
    `reason` the code of why it is unclear (`read.reason.` texts), "" for none.
    """

    box: int | None
    corners: tuple[int, ...]
    look: Literal["certain", "doubt", "unclear", "down"]
    card: str
    seen: str
    percent: int
    reason: str


class RankView(ViewModel):
    """Height in pixels of the rank's letter at a box, 0 for the dealer.

    `read_percent` of the cards of that height are read from one picture.
    """

    box: int
    px: float
    read_percent: int


class CameraView(ViewModel):
    """A camera's whole picture (`picture` is its path) and what it knows there; nothing of it is kept.

    `edge_px` is the width of the steepest edges in it (0: none), `light` the brightness of the brightest
    things (0 to 255), `burnt_percent` how much of it is burnt out.
    """

    camera: str
    picture: str
    width: int
    height: int
    cards: tuple[OutlineView, ...]
    ranks: tuple[RankView, ...]
    edge_px: float
    light: int
    burnt_percent: int


async def camera_views(pictures: CardPictures, snapshot: TableSnapshot) -> tuple[CameraView, ...]:
    """Every camera over the layout; the dealer's cards are blackened while one lies face down or will."""
    seen = await pictures.sights(hides_dealer=not may_show_dealer(snapshot))
    return tuple(camera_view(sight, path) for sight, path in seen)


def camera_view(sight: CameraSight, picture: str) -> CameraView:
    """What one camera sees, its picture to be fetched at the path `picture`."""
    return CameraView(
        camera=sight.camera,
        picture=picture,
        width=sight.width,
        height=sight.height,
        cards=tuple(
            OutlineView(
                box=card.box,
                corners=tuple(round(one) for corner in card.corners for one in corner),
                look=card.look,
                card=card.card,
                seen=card.seen,
                percent=int(card.p * 100),
                reason=card.reason,
            )
            for card in sight.cards
        ),
        ranks=tuple(
            RankView(box=rank.box, px=round(rank.px, 1), read_percent=round(rank.share_read * 100))
            for rank in sight.ranks
        ),
        edge_px=round(sight.edge_px, 1),
        light=round(sight.light),
        burnt_percent=round(sight.burnt * 100),
    )
