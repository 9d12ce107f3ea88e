"""`python -m tests.measures.backs`: cards face down of many backs, told, unclear or passed over.

Each back lies alone, turned over print, below and on a card that is face up, and beside one.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import cv2
import numpy as np
import typer

from models.decks import art_back, deck_folders
from models.stress_scenes import SEED, leaning, take
from vision.geometry import Image, inside
from vision.reader import CardReader
from vision.reading import PointPx, Reading
from vision.synth import (
    ART_PX,
    CardArt,
    DrawnCard,
    Scene,
    card_quad,
    draw_back,
    draw_card,
    random_felt,
    random_style,
)

FIRST: Final = 61_000_000
"""Where the numbers of these styles and tables begin."""

SIDE_PX: Final = 1000
LEAN_DEG: Final = 10.0
PLACES: Final = ("alone", "turned", "below", "above", "beside")


class BackScene(NamedTuple):
    """A table, its picture, and which card lies face down at each of PLACES."""

    scene: Scene
    picture: Image
    down: tuple[int, ...]


def backs(drawn: int, art: Path | None) -> Iterator[tuple[str, CardArt]]:
    """Backs of so many drawn decks, and those of a folder of card art."""
    for number in range(drawn):
        yield (
            f"drawn {number}",
            draw_back(random_style(np.random.default_rng((SEED, FIRST + number))), ART_PX),
        )
    for folder in (
        [] if art is None else [*deck_folders(art, held_out=False), *deck_folders(art, held_out=True)]
    ):
        back = art_back(folder, np.random.default_rng(SEED))
        if back is not None:
            yield folder.name, back


def back_scene(back: CardArt, table: int) -> BackScene:
    """One table, photographed: the same for each back but for its backs."""
    rng = np.random.default_rng((SEED, FIRST + 1_000_000 + table))
    style, high = random_style(rng), float(rng.uniform(75, 125))
    cards: list[DrawnCard] = []

    def lay(art: CardArt, x: float, y: float, turn: float, name: tuple[str, str] | None = None) -> int:
        rank, suit = name or (None, None)
        face = "down" if name is None else "up"
        cards.append(DrawnCard(art, x, y, turn + float(rng.normal(0, 2)), high, rank, suit, face))
        return len(cards) - 1

    def lay_up(x: float, y: float, rank: str, suit: str) -> None:
        lay(draw_card(style, rank, suit, ART_PX), x, y, 0, (rank, suit))

    for step, (rank, suit) in enumerate((("8", "h"), ("J", "c"), ("3", "d"))):
        lay_up(200 + step * high * 0.4, 200, rank, suit)
    down = [lay(back, 200, 500, 0), lay(back, 600, 500, float(rng.uniform(0, 180))), lay(back, 200, 800, 0)]
    lay_up(200 + high * 0.45, 800, "4", "h")
    lay_up(500, 800, "9", "s")
    down.append(lay(back, 500 + high * 0.45, 800, 0))
    lay_up(750, 800, "Q", "d")
    down.append(lay(back, 750 + high * 0.74, 800, 0))
    felt = random_felt(rng, SIDE_PX)
    scene = leaning(Scene(SIDE_PX, SIDE_PX, felt, tuple(cards)), rng, 0, LEAN_DEG)
    noisy = np.clip(take(scene).picture.frame + rng.normal(0, 4, (SIDE_PX, SIDE_PX, 3)), 0, 255)
    _, packed = cv2.imencode(".jpg", noisy.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 88])
    return BackScene(scene, np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR)), tuple(down))


def verdicts(shot: BackScene, reading: Reading) -> dict[str, str]:
    """What is said of the card face down at each of PLACES: `down`, `unclear`, or `silent`, nothing."""
    known = [card.at for card in reading.cards if card.face == "down"]
    spots = [spot.at for spot in reading.unclear]

    def word(number: int) -> str:
        quad = card_quad(shot.scene.cards[number], shot.scene.tilt)

        def on_it(at: PointPx) -> bool:
            return inside(np.array(at), quad, 0.1)

        return "down" if any(map(on_it, known)) else "unclear" if any(map(on_it, spots)) else "silent"

    return {place: word(number) for place, number in zip(PLACES, shot.down, strict=True)}


def main(
    drawn: Annotated[int, typer.Option(min=0, help="Backs to draw.")] = 30,
    tables: Annotated[int, typer.Option(min=1, help="Tables a back.")] = 2,
    art: Annotated[Path | None, typer.Option(help="A folder of card art, in place.")] = None,
) -> None:
    """Prints each back that was passed over with where, and a line of counts for each place."""
    reader, counts = CardReader.open(threads=1), Counter[tuple[str, str]]()
    for name, back in backs(drawn, art):
        for table in range(tables):
            shot = back_scene(back, table)
            found = verdicts(shot, reader.read(shot.picture))
            counts.update(found.items())
            silent = [place for place, word in found.items() if word == "silent"]
            if silent:
                typer.echo(f"silent: {name}, table {table}: {', '.join(silent)}")
    for place in PLACES:
        words = (f"{counts[place, word]:>5} {word}" for word in ("down", "unclear", "silent"))
        typer.echo(f"{place:>8} {' '.join(words)}")


if __name__ == "__main__":
    typer.run(main)
