"""A growing store of drawn tiles: `python -m models.finder.store FOLDER --tiles 2000`.

A run appends tiles; after an interruption it continues with the first missing block.
"""

import json
from pathlib import Path
from typing import Annotated, Final

import cv2
import numpy as np
import typer

from models.crops.data import training_decks
from models.finder.tiles import BLOCK, TILE, block_of

TILES: Final = "tiles.bin"
_ORIGIN: Final = "store.json"
"""The tiles, one record behind the other, and what they are drawn from."""


def opened_store(folder: Path) -> np.memmap:
    """The tiles of a store, from its file as they are needed; whole blocks alone."""
    path = folder / TILES
    count = path.stat().st_size // (BLOCK * TILE.itemsize) * BLOCK
    return np.memmap(path, TILE, "r", shape=(count,))


def add_tiles(folder: Path, count: int, *, seed: int, art: Path | None, held_out: bool) -> int:
    """Draws so many tiles more, in whole blocks; the number of tiles then."""
    folder.mkdir(parents=True, exist_ok=True)
    origin = {"seed": seed, "art": art is not None, "held_out": held_out, "tile_bytes": TILE.itemsize}
    note = folder / _ORIGIN
    if note.exists() and json.loads(note.read_text(encoding="utf-8")) != origin:
        raise typer.BadParameter(f"{folder} holds other tiles: {note.read_text(encoding='utf-8')}")
    note.write_text(json.dumps(origin), encoding="utf-8")
    folders, size = training_decks(art, held_out), BLOCK * TILE.itemsize
    with (folder / TILES).open("ab") as file:
        present = file.tell() // size
        file.truncate(present * size)
        for number in range(present, present - (-count // BLOCK)):
            file.write(block_of(seed, number, folders, held_out).tobytes())
            file.flush()
        return file.tell() // TILE.itemsize


def main(
    folder: Annotated[Path, typer.Argument(help="Folder of the store; made where there is none.")],
    tiles: Annotated[int, typer.Option(help="Tiles to add.")] = 2000,
    art: Annotated[Path | None, typer.Option(help="Folder of card art; none = drawn cards only.")] = None,
    *,
    seed: int = 17,
    held_out: Annotated[bool, typer.Option(help="Decks and fonts that training never sees.")] = False,
) -> None:
    """Adds tiles to a store."""
    cv2.setNumThreads(1)
    typer.echo(f"{add_tiles(folder, tiles, seed=seed, art=art, held_out=held_out)} tiles")


if __name__ == "__main__":
    typer.run(main)
