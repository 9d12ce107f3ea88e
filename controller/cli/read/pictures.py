"""The output of `stand17 read`: the cards in pictures, as a table or as one JSON object per picture."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rich.table import Table

from controller.cli.json_words import print_object
from controller.cli.output import console, print_error
from controller.domain import TableError
from controller.i18n import text, with_signs
from vision.calibration import DEALER, BoxedCard, Layout, TableMap, boxed_object, load_layout
from vision.enrolment import open_with_deck
from vision.pictures import load_picture
from vision.reader import CardReader
from vision.reading import ReadCard, Reading, reading_object
from vision.sequence import SequenceReader


class _Output(NamedTuple):
    """The reader of pictures, and the form of the output."""

    look: Callable[..., Reading]
    as_json: bool
    layout: Layout | None


class ReadArgs(NamedTuple):
    """The options of `stand17 read`; see the command's help."""

    as_json: bool
    layout: Path | None
    sequence: bool
    deck: Path | None
    fps: float


def read_pictures(images: Sequence[Path], args: ReadArgs) -> int:
    """Print the cards of each picture; how many could not be opened. Raises `ConfigError`."""
    calibrated = load_layout(args.layout) if args.layout is not None else None
    reader = CardReader.open() if args.deck is None else open_with_deck(args.deck)[0]
    look = SequenceReader(reader, args.fps).read if args.sequence else partial(reader.read, thorough=True)
    output = _Output(look, args.as_json, calibrated)
    return sum(not _read_one(output, path) for path in images)


def _read_one(output: _Output, path: Path) -> bool:
    layout = output.layout
    try:
        image = load_picture(path)
        height, width = image.shape[:2]
        felt = TableMap(layout, width, height, str(path)) if layout is not None else None
        reading = output.look(image, card_px=felt.card_px if felt is not None else None)
    except TableError as error:
        # On standard error alone: an object without cards could be taken for an empty table.
        print_error(error)
        return False
    if not output.as_json:
        _print_table(path, reading, felt)
    elif felt is not None:
        print_object(boxed_object(str(path), (width, height), reading, felt))
    else:
        print_object(reading_object(str(path), width, height, reading))
    return True


def _print_table(path: Path, reading: Reading, felt: TableMap | None) -> None:
    placed = felt.assign(reading) if felt is not None else None
    unclear = reading.unclear if placed is None else placed.unclear
    cards = [(str(card.hand), card) for card in reading.cards]
    if placed is not None:
        cards = sorted(((_box_words(one), one.card) for one in placed.cards), key=lambda pair: pair[0])
    counted = (len(cards), len(unclear), round(reading.ms))
    sums: dict[str, str | int] = dict(zip(("cards", "unclear", "ms"), counted, strict=True))
    title = f"{path.name}: {text('read.counted', sums)}"
    steps = ", ".join(text(f"read.step.{step}") for step in reading.steps)
    table = Table(title=title, title_justify="left", caption=steps, caption_justify="left")
    table.add_column(text("read.hand" if felt is None else "read.box"))
    table.add_column(text("read.cards"))
    hands: dict[str, list[str]] = {}
    for where, card in cards:
        hands.setdefault(where, []).append(_name(card))
    for where, names in hands.items():
        table.add_row(where, "  ".join(names))
    for spot in unclear:
        table.add_row("?", f"{text(f'read.reason.{spot.reason}')} ({spot.at[0]:.0f}, {spot.at[1]:.0f})")
    console().print(table)


def _name(card: ReadCard) -> str:
    """The rank, and the suit's sign where the suit is known; the words for a card face down."""
    if card.rank is None:
        return text("read.face_down")
    return with_signs(f"{card.rank}{card.suit or ''}")


def _box_words(placed: BoxedCard) -> str:
    """Name the box, and the hand where it is not the first."""
    if placed.box is None:
        return text("read.nowhere")
    if placed.box == DEALER:
        return text("read.dealer")
    return str(placed.box) + (f".{placed.box_hand}" if placed.box_hand != 1 else "")
