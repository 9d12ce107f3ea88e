"""A deck's design: fonts, sizes and colours, as fractions of the card's height.

Source of all ranges: chosen by eye; not measured.
"""

from typing import Final, Literal, NamedTuple

import numpy as np

from vision.synth.glyphs import bank

Colour = tuple[int, int, int]
"""Blue, green, red, 0..255."""

FORMULA_PIPS: Final = -1
"""As `pip_set`: pips from formulas instead of a font's signs."""


class CardStyle(NamedTuple):
    """One deck's design. Lengths are fractions of the card's height unless said otherwise."""

    font: int
    pip_set: int
    fullness_tenths: int
    aspect: float
    rank_height: float
    rank_stretch: float
    weight: float
    pip_height: float
    gap: float
    margin_x: float
    margin_y: float
    ten_squeeze: float
    suit_colours: tuple[Colour, Colour, Colour, Colour]
    paper: Colour
    body_pip: float
    body_inset: float
    clearance: float
    court_frame: bool
    corners: int
    seed: int
    body_top: float = 0.06
    letters: tuple[str, str, str, str] = ("A", "J", "Q", "K")
    """What is printed for ace, jack, queen and king."""

    pip_level: float | None = None
    """Of a pip to the right of its rank: 0 where their tops are level, 1 where their feet are.

    None where the pip stands below the rank.
    """

    lower: Literal["turned", "upright", "pip_first"] = "turned"
    """The index of the lower right corner: the upper one turned, as it is, or as it is with the pip above."""

    one_pip: bool = False
    """Ace to ten show one large pip each."""

    def printed(self, rank: str) -> str:
        """Return the corner print of a card of that rank."""
        return self.letters["AJQK".index(rank)] if rank in "AJQK" else rank


_FOREIGN_LETTERS: Final[tuple[tuple[str, ...], ...]] = (
    ("1", "AS", "A", "E", "T", "S"),
    ("V", "B", "F", "C", "S", "KN", "P", "N"),
    ("D", "V", "C", "H", "R", "B", "F"),
    ("R", "H", "C", "W", "P", "D", "T", "E"),
)
"""What other languages print for ace, jack, queen and king, and other letters that such a card might have."""

_INK_BLACK: Final[Colour] = (28, 24, 24)
_INK_RED: Final[Colour] = (36, 24, 196)

CASINO_STYLE: Final = CardStyle(
    font=bank().names.index("RobotoCondensed-Bold"),
    pip_set=5,
    fullness_tenths=6,
    aspect=63 / 88,
    rank_height=0.175,
    rank_stretch=1.0,
    weight=0.0,
    pip_height=0.13,
    gap=0.03,
    margin_x=0.04,
    margin_y=0.05,
    ten_squeeze=0.58,
    suit_colours=(_INK_BLACK, _INK_RED, _INK_RED, _INK_BLACK),
    paper=(244, 248, 248),
    body_pip=0.15,
    body_inset=0.30,
    clearance=0.034,
    court_frame=True,
    corners=2,
    seed=17,
)
"""The demo's own deck: jumbo index, two colours."""


def _near(rng: np.random.Generator, colour: Colour, spread: int) -> Colour:
    blue, green, red = (int(np.clip(part + rng.integers(-spread, spread + 1), 0, 255)) for part in colour)
    return blue, green, red


def _suit_colours(rng: np.random.Generator) -> tuple[Colour, Colour, Colour, Colour]:
    black, red = _near(rng, (26, 24, 24), 26), _near(rng, (36, 24, 205), 36)
    if rng.random() < 0.10:
        return _near(rng, (30, 110, 20), 30), _near(rng, (190, 60, 20), 40), red, black
    return black, red, red, black


def random_style(rng: np.random.Generator, held_out: bool = False) -> CardStyle:
    """A deck that never existed; `held_out` takes only fonts that training never sees."""
    fonts = [index for index, flag in enumerate(bank().held_out) if flag == held_out]
    jumbo = rng.random() < 0.35
    rank = rng.uniform(0.13, 0.22) if jumbo else rng.uniform(0.075, 0.13)
    pip_set = FORMULA_PIPS if rng.random() < 0.5 else int(rng.integers(len(bank().signs)))
    return CardStyle(
        font=int(rng.choice(fonts)),
        pip_set=pip_set,
        fullness_tenths=int(rng.integers(0, 11)),
        aspect=float(rng.uniform(0.635, 0.73)),
        rank_height=float(rank),
        rank_stretch=float(rng.uniform(0.62, 1.15)),
        weight=float(rng.uniform(-0.6, 1.0)),
        pip_height=float(rank * rng.uniform(0.5, 1.0)),
        gap=float(rank * rng.uniform(0.04, 0.4)),
        margin_x=float(rng.uniform(0.022, 0.06)),
        margin_y=float(rng.uniform(0.025, 0.07)),
        ten_squeeze=float(rng.uniform(0.55, 0.9)),
        suit_colours=_suit_colours(rng),
        paper=_near(rng, (240, 246, 247), 8),
        body_pip=float(rng.uniform(0.10, 0.19)),
        body_inset=float(rng.uniform(0.24, 0.33)),
        clearance=float(rng.uniform(0.006, 0.035)),
        court_frame=bool(rng.random() < 0.75),
        corners=4 if rng.random() < 0.15 else 2,
        seed=int(rng.integers(1 << 30)),
    )


def foreign_style(rng: np.random.Generator, held_out: bool = False) -> CardStyle:
    """Return a random deck design with letters of another language; `held_out` as for `random_style`."""
    one, two, three, four = (str(rng.choice(letters)) for letters in _FOREIGN_LETTERS)
    return random_style(rng, held_out)._replace(letters=(one, two, three, four))
