"""`python -m tests.measures.sealed`: decks that no work on the reader may look at, one table of figures.

Their styles and their tables are drawn from numbers that nothing else draws from (`FIRST`). Whoever looks at
their pictures to mend the reader has to seal others first.
"""

import json
from collections import Counter
from typing import Annotated, Final, NamedTuple

import numpy as np
import typer

from benchmarks.reader_stress_reads import judged, readable
from controller.domain import TableError
from models.judging import judge_hands
from models.stress_scenes import SEED, Shot, dealt_table, index_px_of, take, zoomed
from tests.measures.joined import FPS, frames
from tests.vision.enrolment.deck_kit import spread
from vision.enrolment import enrol
from vision.networks import Prototypes
from vision.reader import CardReader
from vision.reading import Reading
from vision.sequence import RestingReader, SequenceReader
from vision.synth import CardStyle, drawn_deck, random_style
from vision.synth.demo_table import CARD_PX

FIRST: Final = 199_000_000
"""Where the numbers of the sealed decks and tables begin."""

OPENED: Final = 33_000_000
"""Where those began that were sealed first, and that the drawn rounds go on with. Those of 61,000,000 and of
97,000,000 were measured (docs/measurements/reader.md, Sealed decks) and looked at then, those of 131,000,000
and 167,000,000 measured."""

LOOKS: Final = 25
"""Pictures of a resting table: a second."""


class SealedDeck(NamedTuple):
    """What is unusual about a deck, and the fields of its style that say so."""

    name: str
    changes: dict[str, object]


SEALED: Final = (
    SealedDeck("usual", {"rank_height": 0.11, "pip_height": 0.08}),
    SealedDeck("jumbo", {"rank_height": 0.19, "pip_height": 0.13}),
    SealedDeck("pip beside", {"rank_height": 0.13, "pip_height": 0.1, "pip_level": 0.5, "gap": 0.02}),
    SealedDeck("jumbo, pip beside", {"rank_height": 0.2, "pip_height": 0.15, "pip_level": 0.0, "gap": 0.02}),
    SealedDeck("framed courts", {"court_frame": True, "clearance": 0.0}),
    SealedDeck("four colours", {"suit_colours": ((30, 110, 20), (190, 60, 20), (36, 24, 205), (26, 24, 24))}),
    SealedDeck("French letters", {"letters": ("1", "V", "D", "R")}),
    SealedDeck("German letters", {"letters": ("A", "B", "D", "K")}),
    SealedDeck("upright lower index, pip first", {"lower": "pip_first"}),
    SealedDeck("one large pip", {"one_pip": True}),
    SealedDeck("peek", {"rank_height": 0.07, "pip_height": 0.05, "margin_x": 0.015, "margin_y": 0.018}),
)
"""Two colours and one of the left-out fonts, where a deck does not say otherwise."""


def style_of(number: int, first: int = FIRST) -> CardStyle:
    """The style of a sealed deck; with `first` OPENED of one that was looked at."""
    rng = np.random.default_rng((SEED, first + number))
    plain = random_style(rng, held_out=True)._replace(corners=2)
    return plain._replace(**SEALED[number].changes)  # type: ignore[arg-type]  # the fields stand in SEALED


def tally(shot: Shot, reading: Reading, least_px: float) -> Counter[str]:
    """Readable cards (whole indices of `least_px` and more), what is told of all, hands short in silence."""
    known = {truth.card for truth in shot.truths if index_px_of(truth) >= least_px} & set(readable(shot))
    counts: Counter[str] = Counter(readable=len(known), unclear=len(reading.unclear))
    for _, found in judged(reading, shot):
        counts[found.verdict] += 1
        counts["covered"] += found.verdict == "right" and found.card in known
    hands = judge_hands(reading, shot.hands)
    counts.update(hands=hands["hands"], short=hands["short"] + hands["false"])
    return counts


def table_of(number: int, table: int, times: float, first: int = FIRST) -> tuple[Shot, np.random.Generator]:
    """A dealt table of a sealed deck, and the chance that goes on with its pictures."""
    rng = np.random.default_rng((SEED, first + 1000 * (number + 1) + table))
    scene, hands = dealt_table(rng, drawn_deck(style_of(number, first)))
    return take(zoomed(scene, times), hands), rng


def profile_of(number: int, times: float, first: int = FIRST) -> Prototypes | None:
    """The profile of a sealed deck from two spread pictures; None where it cannot be enrolled."""
    style = style_of(number, first)
    pictures = [spread(style, seed, CARD_PX * times).labelled(f"{seed}.png") for seed in range(2)]
    try:
        return enrol(pictures, CardReader.open().networks).deck
    except TableError:
        return None


def measured(number: int, tables: int, times: float, least_px: float) -> dict[str, Counter[str]]:
    """What one picture and 25 of a resting table tell of a deck, without a profile and with one.

    With a profile the size of a card is known, as it is at a calibrated camera.
    """
    plain, deck = CardReader.open(), profile_of(number, times)
    known = None if deck is None else CardReader.open(deck=deck)
    found: dict[str, Counter[str]] = {}
    for table in range(tables):
        shot, rng = table_of(number, table, times)
        pictures = frames(shot, rng, LOOKS)
        sequence = SequenceReader(plain, FPS)
        readings = {
            "single": plain.read(pictures[-1], thorough=True),
            "joined": [sequence.read(picture) for picture in pictures][-1],
        }
        if known is not None:
            card_px = float(np.median([card.height for card in shot.scene.cards]))
            resting = RestingReader(known)
            readings["single, profile"] = known.read(pictures[-1], card_px=card_px)
            readings["joined, profile"] = [resting.read(picture, 0, 0, card_px) for picture in pictures][-1]
        for name, reading in readings.items():
            found.setdefault(name, Counter()).update(tally(shot, reading, least_px))
    return found


def main(
    tables: Annotated[int, typer.Option(min=1, help="Tables a deck.")] = 1,
    times: Annotated[float, typer.Option(help="1: 1920 x 1080, 2: 4K.")] = 1.0,
    least_px: Annotated[
        float, typer.Option(help="Least height of rank and pip that counts as readable.")
    ] = 0.0,
    first: Annotated[int, typer.Option(help="Number of the deck to begin with, after a stop.")] = 0,
) -> None:
    """Prints a line of JSON a deck."""
    for number, deck in enumerate(SEALED[first:], first):
        found = measured(number, tables, times, least_px)
        typer.echo(json.dumps({"deck": deck.name, **{name: dict(one) for name, one in found.items()}}))


if __name__ == "__main__":
    typer.run(main)
