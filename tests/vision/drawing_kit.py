"""Drawn tables for tests that need pictures like those of a camera."""

import numpy as np

from vision.geometry import Image
from vision.synth import random_deck, random_scene, shoot


def drawn_table(seed: int, series: int = 42) -> Image:
    """Cards thrown about, 640 x 640, with a camera's faults; another series has other tables."""
    rng = np.random.default_rng((series, seed))
    deck = random_deck(rng)
    return shoot(random_scene(rng, deck), rng, deck.rank_share).frame
