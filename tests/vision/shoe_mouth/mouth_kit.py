"""Pictures of an index as the camera in a shoe's mouth takes them: 32 x 48 pixels, grey, drawn."""

from functools import cache

import cv2
import numpy as np

from vision.geometry import Image
from vision.synth.card import draw_card
from vision.synth.style import random_style

WIDTH, HEIGHT = 32, 48
MARGIN = 3


@cache
def mouth_picture(rank: str, suit: str, deck: int = 1) -> Image:
    """The index of a card of a drawn deck."""
    art = draw_card(random_style(np.random.default_rng(deck)), rank, suit, 400)
    box = art.indices[0]
    top, foot = np.array(box.top), np.array(box.foot)
    middle = (top + foot) / 2
    scale = min((HEIGHT - 2 * MARGIN) / np.hypot(*(foot - top)), (WIDTH - 2 * MARGIN) / (2 * box.half_width))
    shift = np.array([WIDTH / 2, HEIGHT / 2]) - scale * middle
    matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]])
    small = cv2.warpAffine(
        art.image, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY))


def smeared(picture: Image, pixels: int) -> Image:
    """The same while the card moved on by so many pixels."""
    kernel = np.zeros((pixels, pixels), np.float32)
    kernel[:, pixels // 2] = 1 / pixels
    return np.asarray(cv2.filter2D(picture, -1, kernel, borderType=cv2.BORDER_REPLICATE))
