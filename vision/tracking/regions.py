"""Parts of a picture: which rectangles to read, and reading only those."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

import cv2
import numpy as np

from vision.geometry import Image, Rect, clipped, meet, union
from vision.reading import PointPx, ReadCard, Reading, Unclear
from vision.tracking.change_gate import Blocks

_WHOLE_SHARE: Final = 0.6
"""When the rectangles make up more of the picture than this, all of it is read at once.

Source: no measurement on record.
"""

_REGIONS_MAX: Final = 4
"""With more rectangles than this the whole picture is read: a read has a price of its own, about a quarter of
that of a full HD picture.

Source: five hands cost as much as the whole table (history of this file).
"""


class PictureReader(Protocol):
    """A reader of a camera's pictures; `vision.sequence.RestingReader` is one."""

    def read(self, image: Image, left: int = 0, top: int = 0, card_px: float | None = None, /) -> Reading:
        """Read a part of a BGR picture that begins at `left`, `top` of it; places count from there.

        `card_px` is a card's long side, where the camera's place says so.
        """
        ...

    def forget(self, moved: Callable[[PointPx], bool]) -> None:
        """Count no earlier looks at places (pixels of the whole picture) where something has moved."""
        ...


def read_regions(
    reader: PictureReader, image: Image, regions: Sequence[Rect], card_px: float | None
) -> Reading:
    """Read only the given rectangles; places count from the full picture's corner. Hands are told apart."""
    height, width = image.shape[:2]
    if list(regions) == [(0, 0, width, height)]:
        return reader.read(image, 0, 0, card_px)
    cards: list[ReadCard] = []
    unclear: list[Unclear] = []
    took_ms = 0.0
    for left, top, right, foot in regions:
        part = reader.read(np.ascontiguousarray(image[top:foot, left:right]), left, top, card_px)
        hands = max((card.hand for card in cards), default=0)
        cards += [_card_at(card, left, top, hands) for card in part.cards]
        unclear += [spot._replace(at=_shifted(spot.at, left, top)) for spot in part.unclear]
        took_ms += part.ms
    return Reading(tuple(cards), tuple(unclear), took_ms)


def _shifted(place: PointPx, right: int, down: int) -> PointPx:
    return place[0] + right, place[1] + down


def _card_at(card: ReadCard, right: int, down: int, hands: int) -> ReadCard:
    """A card of a part of the picture, in pixels of the whole, its hand counted on from so many."""
    quad = card.quad
    if quad is not None:
        first, second, third, fourth = (_shifted(corner, right, down) for corner in quad)
        quad = (first, second, third, fourth)
    return card._replace(at=_shifted(card.at, right, down), quad=quad, hand=card.hand + hands)


def rects_of(blocks: Blocks, scale: tuple[float, float]) -> list[Rect]:
    """Rectangles in pixels around blocks that hang together; `scale` is blocks a pixel, across and down."""
    if not blocks.any():
        return []
    _, _, boxes, _ = cv2.connectedComponentsWithStats(blocks.astype(np.uint8), connectivity=8)
    found = []
    for x, y, wide, tall, _ in boxes[1:]:
        across, down = (x / scale[0], (x + wide) / scale[0]), (y / scale[1], (y + tall) / scale[1])
        found.append((int(across[0]), int(down[0]), round(across[1]), round(down[1])))
    return found


def merged(rects: Iterable[Rect], shape: tuple[int, ...]) -> list[Rect]:
    """Join overlapping rectangles; return the whole picture when they are many or large.

    `shape` is that of the picture: height, width and so on.
    """
    left = [
        rect for rect in (clipped(rect, shape) for rect in rects) if rect[0] < rect[2] and rect[1] < rect[3]
    ]
    done: list[Rect] = []
    while left:
        rect = left.pop()
        other = next((other for other in left if meet(rect, other)), None)
        if other is None:
            done.append(rect)
        else:
            left.remove(other)
            left.append(union(rect, other))
    # A joined rectangle may reach one that was already done.
    if any(meet(a, b) for number, a in enumerate(done) for b in done[number + 1 :]):
        return merged(done, shape)
    whole = (0, 0, shape[1], shape[0])
    area = sum((right - x) * (foot - y) for x, y, right, foot in done)
    if len(done) > _REGIONS_MAX or area > _WHOLE_SHARE * shape[0] * shape[1]:
        return [whole]
    return sorted(done)
