"""Memory of a picture is used again when nobody looks at it any more, and not before."""

import gc

import numpy as np

from drivers.camera.decoder.source import PictureCopies


def test_a_picture_that_somebody_still_looks_at_stays_as_it_was() -> None:
    copies = PictureCopies()
    kept = []
    for value in range(20):
        picture = copies.copy(np.full(3 * 40 * 60, value, np.uint8)).reshape(40, 60, 3)
        if value % 3 == 0:
            # A reader keeps a crop of it, or one colour, and forgets the rest.
            kept.append((value, picture[5:9, 10:20], picture[:, :, 1][::2]))
        del picture
        gc.collect()
    for value, crop, green in kept:
        assert (crop == value).all()
        assert (green == value).all()


def test_memory_is_used_again_and_another_size_fits_too() -> None:
    copies = PictureCopies()
    places = set()
    for _ in range(10):
        places.add(copies.copy(np.zeros(6_000_000, np.uint8)).ctypes.data)
    assert len(places) <= 2
    assert copies.copy(np.ones(24_000_000, np.uint8)).sum() == 24_000_000
    assert copies.copy(np.ones(100, np.uint8)).sum() == 100
