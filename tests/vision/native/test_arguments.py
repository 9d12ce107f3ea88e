"""What the C functions are not made for gets an error with a code, with and without Python's `assert`."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest

from controller.domain import TableError
from tests.vision.drawing_kit import drawn_table
from vision.geometry import Image
from vision.native import (
    FIELDS,
    EvenRule,
    GainRule,
    PairRule,
    SpotRule,
    crops_at,
    darkest_means,
    evened_crops,
    paired,
    pieces_of_ink,
    sampled,
    spots_of,
    survey_patches,
)
from vision.reader import CardReader

GREY = np.zeros((64, 64), np.uint8)
FLOAT = np.zeros((64, 64, 3))
HUGE = np.broadcast_to(np.uint8(0), (40_000, 40_000, 3))
LONG = np.broadcast_to(np.uint8(0), (8, 2_000_000, 3))
EMPTY = np.empty((0, 64, 3), np.uint8)
FOUR = np.zeros((64, 64, 4), np.uint8)
ONE = np.zeros((64, 64, 1), np.uint8)
SIGNED = np.zeros((64, 64, 3), np.int8)

WRONG = {
    "grey": (GREY, "PICTURE_ARRAY_CHANNELS"),
    "one channel": (ONE, "PICTURE_ARRAY_CHANNELS"),
    "transparent": (FOUR, "PICTURE_ARRAY_CHANNELS"),
    "scalar": (np.array(0, np.uint8), "PICTURE_ARRAY_CHANNELS"),
    "float": (FLOAT, "PICTURE_ARRAY_KIND"),
    "signed": (SIGNED, "PICTURE_ARRAY_KIND"),
    "objects": (np.zeros((8, 8, 3), object), "PICTURE_ARRAY_KIND"),
    "list": ([[[0, 0, 0]]], "PICTURE_ARRAY_KIND"),
    "none": (None, "PICTURE_ARRAY_KIND"),
    "empty": (EMPTY, "PICTURE_ARRAY_EMPTY"),
    "huge": (HUGE, "PICTURE_ARRAY_TOO_LARGE"),
    "long": (LONG, "PICTURE_ARRAY_TOO_LARGE"),
}

CELLS = np.ones((8, 8), np.uint8)
MATRICES = np.tile(np.eye(2, 3), (2, 1, 1))
GAIN = GainRule(0.97, 230.0, 0.8, 6.0)
EVEN = EvenRule(3, 20.0, 230.0, 0.8)
SPOT = SpotRule((4, 110), 2, 0.12, 1.5, (0.6, 1.7), 20.0)
CROPS = np.zeros((2, 8, 8, 3), np.uint8)
PICTURE = np.zeros((64, 64, 3), np.uint8)

TAKING_PICTURES: dict[str, Callable[[Any], object]] = {
    "pieces_of_ink": lambda picture: pieces_of_ink(picture, CELLS, CELLS, 8, (184,)),
    "sampled": lambda picture: sampled(picture, 2, 4, 16, 16),
    "crops_at": lambda picture: crops_at(picture, MATRICES, 8, 8),
    "survey_patches": lambda picture: survey_patches(picture, 1, 4, GAIN),
}

SPOTS = (np.zeros((3, 2)), np.zeros((3, 2, 2)), np.zeros(3), np.zeros(3))

UNFIT: dict[str, Callable[[], object]] = {
    "more cells than picture": lambda: pieces_of_ink(PICTURE, np.ones((9, 8), np.uint8), CELLS, 8, (184,)),
    "paper of another size": lambda: pieces_of_ink(PICTURE, CELLS, CELLS[:, 1:], 8, (184,)),
    "paper in floats": lambda: pieces_of_ink(PICTURE, CELLS, CELLS.astype(float), 8, (184,)),
    "levels in floats": lambda: pieces_of_ink(PICTURE, CELLS.astype(float), CELLS, 8, (184,)),
    "cell of no chunks": lambda: pieces_of_ink(PICTURE, CELLS, CELLS, 4, (184,)),
    "five levels": lambda: pieces_of_ink(PICTURE, CELLS, CELLS, 8, (1, 2, 3, 4, 5)),
    "a share above 256": lambda: pieces_of_ink(PICTURE, CELLS, CELLS, 8, (257,)),
    "pieces without columns": lambda: spots_of(np.zeros((3, FIELDS - 1)), SPOT, 200.0),
    "pieces of words": lambda: spots_of(np.array([["x"] * FIELDS]), SPOT, 200.0),
    "a place below nothing": lambda: spots_of(np.zeros((3, FIELDS)), SpotRule(place=-1), 200.0),
    "three columns of spots": lambda: paired(SPOTS[:3], PairRule(), 10, 10),
    "spots of other lengths": lambda: paired((*SPOTS[:3], np.zeros(2)), PairRule(), 10, 10),
    "room below nothing": lambda: paired(SPOTS, PairRule(), 10, -1),
    "room beyond C's int": lambda: paired(SPOTS, PairRule(), 10, 2**33),
    "unions below nothing": lambda: paired(SPOTS, PairRule(), -1, 10),
    "a sample beyond the picture": lambda: sampled(PICTURE, 2, 4, 17, 16),
    "a sample before the picture": lambda: sampled(PICTURE, -1, 4, 16, 16),
    "a sample without a step": lambda: sampled(PICTURE, 2, 0, 16, 16),
    "rows below nothing": lambda: sampled(PICTURE, 2, 4, -1, 16),
    "a grey sample": lambda: darkest_means(GREY),
    "a sample in floats": lambda: darkest_means(FLOAT),
    "matrices of 2 x 2": lambda: crops_at(PICTURE, np.zeros((2, 2, 2)), 8, 8),
    "one matrix": lambda: crops_at(PICTURE, np.eye(2, 3), 8, 8),
    "crops too wide": lambda: crops_at(PICTURE, MATRICES, 8, 257),
    "crops of no rows": lambda: crops_at(PICTURE, MATRICES, 0, 8),
    "crops of half a row": lambda: crops_at(PICTURE, MATRICES, 8.5, 8),  # type: ignore[arg-type]  # the point
    "grey crops": lambda: evened_crops(CROPS[..., 0], EVEN, folded=False),
    "crops in floats": lambda: evened_crops(CROPS / 2, EVEN, folded=False),
    "odd crops folded": lambda: evened_crops(CROPS[:, 1:], EVEN, folded=True),
    "a scale of nothing": lambda: survey_patches(PICTURE, 0, 4, GAIN),
    "squares beyond the longest row": lambda: survey_patches(PICTURE, 1, 300, GAIN),
    "more than all pixels": lambda: survey_patches(PICTURE, 1, 4, GainRule(1.5, 230.0, 0.8, 6.0)),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("function", TAKING_PICTURES)
def test_no_function_takes_an_array_that_is_no_picture(function: str, name: str) -> None:
    given, code = WRONG[name]
    # No pixels can be taken of an empty picture, only too many.
    code = "KERNEL_ARGUMENT" if (function, name) == ("sampled", "empty") else code
    with pytest.raises(TableError, match=code):
        TAKING_PICTURES[function](given)


@pytest.mark.parametrize("name", WRONG)
def test_the_reader_names_what_is_wrong_with_a_picture(reader: CardReader, name: str) -> None:
    given, code = WRONG[name]
    with pytest.raises(TableError, match=code):
        reader.read(given)  # type: ignore[arg-type]  # the point


@pytest.mark.parametrize("name", UNFIT)
def test_an_argument_that_does_not_fit_is_an_error(name: str) -> None:
    with pytest.raises(TableError, match="KERNEL_ARGUMENT"):
        UNFIT[name]()


def turned(image: Image) -> Image:
    return np.ascontiguousarray(image.transpose(1, 0, 2)).transpose(1, 0, 2)


VIEWS: dict[str, Callable[[Image], Image]] = {
    "columns first": turned,
    "mirrored twice": lambda image: np.ascontiguousarray(image[::-1, ::-1])[::-1, ::-1],
    "channels swapped twice": lambda image: np.ascontiguousarray(image[..., ::-1])[..., ::-1],
    "thinned": lambda image: np.repeat(np.repeat(image, 2, 0), 2, 1)[::2, ::2],
    "first three of four channels": lambda image: cv2.cvtColor(image, cv2.COLOR_BGR2BGRA)[..., :3],
    "part of a larger one": lambda image: np.pad(image, ((3, 5), (7, 9), (0, 0)))[3:-5, 7:-9],
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_reads_as_the_picture_that_it_shows(reader: CardReader, view: str) -> None:
    """Pixels that do not follow one another in memory are copied, and the caller's array stays."""
    image = drawn_table(3)
    seen = VIEWS[view](image)
    assert not seen.flags.c_contiguous
    before = seen.copy()
    given, wanted = reader.read(seen), reader.read(image)
    assert given.cards == wanted.cards
    assert given.unclear == wanted.unclear
    assert np.array_equal(seen, before)


@pytest.mark.parametrize("option", [[], ["-O"]], ids=["plain", "optimised"])
def test_the_checks_are_there_without_asserts(option: list[str]) -> None:
    """A process of its own: what is read past an array's end would end it, or say nothing."""
    program = """
import numpy as np
from controller.domain import TableError
from tests.vision.native.test_arguments import TAKING_PICTURES, UNFIT, WRONG
from vision.reader import CardReader
taking = (*TAKING_PICTURES.values(), CardReader.open().read)
calls = [(call, given) for call in taking for given, _ in WRONG.values()]
calls += [(lambda _, call=call: call(), None) for call in UNFIT.values()]
codes = []
for call, given in calls:
    try:
        call(given)
    except TableError as error:
        codes.append(error.code)
print(__debug__, len(calls) - len(codes), *sorted(set(codes)))
"""
    done = subprocess.run(
        [sys.executable, *option, "-c", program], capture_output=True, text=True, check=True
    )
    codes = sorted({code for _, code in WRONG.values()} | {"KERNEL_ARGUMENT"})
    assert done.stdout.split() == [str(not option), "0", *codes]
