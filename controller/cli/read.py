"""`stand17 read`: the cards in pictures, as a table for people or one JSON object a picture."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from controller.domain.errors import ConfigError, TableError
from controller.i18n import text
from vision.pictures import load_picture
from vision.reader import CardReader
from vision.reading import Reading
from vision.report import reading_object

SUIT_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def read(
    images: Annotated[list[Path], typer.Argument(help="Pictures, JPEG or PNG.")],
    json_out: Annotated[bool, typer.Option("--json", help="Print one JSON object a picture.")] = False,
    layout: Annotated[Path | None, typer.Option("--layout", help="A calibrated table.")] = None,
) -> None:
    """Read the cards in pictures. What is not certain is listed as unclear, never as a card.

    Exit status 0 when every picture could be opened, 1 when one could not (the others are still read),
    2 when the model is missing or changed.
    """
    if layout is not None:
        raise typer.BadParameter(text("read.no_layout"), param_hint="--layout")
    try:
        reader = CardReader.open()
    except ConfigError as error:
        _complain(error)
        raise typer.Exit(2) from error
    failures = sum(not _read_one(reader, path, json_out) for path in images)
    raise typer.Exit(1 if failures else 0)


def _read_one(reader: CardReader, path: Path, json_out: bool) -> bool:
    try:
        image = load_picture(path)
    except TableError as error:
        _complain(error)
        return False
    reading = reader.read(image)
    if json_out:
        height, width = image.shape[:2]
        typer.echo(json.dumps(reading_object(str(path), width, height, reading)))
    else:
        _print_table(path, reading)
    return True


def _complain(error: TableError) -> None:
    """On standard error alone: an object without cards could be taken for an empty table."""
    typer.echo(text(f"error.{error.code}", error.params), err=True)


def _print_table(path: Path, reading: Reading) -> None:
    counted = (len(reading.cards), len(reading.unclear), round(reading.ms))
    sums: dict[str, str | int] = dict(zip(("cards", "unclear", "ms"), counted, strict=True))
    table = Table(title=f"{path.name}: {text('read.counted', sums)}", title_justify="left")
    table.add_column(text("read.hand"))
    table.add_column(text("read.cards"))
    hands: dict[int, list[str]] = {}
    for card in reading.cards:
        name = f"{card.rank}{SUIT_SIGNS[card.suit]}" if card.rank and card.suit else text("read.face_down")
        hands.setdefault(card.hand, []).append(name)
    for hand, names in hands.items():
        table.add_row(str(hand), "  ".join(names))
    for spot in reading.unclear:
        table.add_row("?", f"{text(f'read.reason.{spot.reason}')} ({spot.at[0]:.0f}, {spot.at[1]:.0f})")
    Console().print(table)
