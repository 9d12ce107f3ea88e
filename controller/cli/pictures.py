"""Runs `stand17 read` and `stand17 enrol` on pictures and recordings.

A deck's profile is proven on pictures that it was not made from.
"""

import hashlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from rich.table import Table

from controller.cli.calibration import pictures_of
from controller.cli.output import console, echo, print_error, print_object
from controller.devices.cameras.deck import SPREADS
from controller.domain import ConfigError, JournalError, TableError
from controller.feed.replay import Json
from controller.i18n import text, with_signs
from controller.outputs import Outputs
from controller.recording.format import SUFFIX, RecordingError
from controller.recording.recording_reader import segments_in
from controller.replay.recorded_deck import DeckLooks, deck_looks
from vision.calibration import DEALER, BoxedCard, Layout, TableMap, boxed_object, load_layout
from vision.enrolment import (
    DeckProfile,
    DoubtfulCard,
    EnrolPicture,
    enrol,
    load_labels,
    open_with_deck,
    parse_order,
    write_profile,
)
from vision.networks import Networks
from vision.pictures import load_picture
from vision.reader import CardReader
from vision.reading import RANKS, SUITS, ReadCard, Reading, reading_object
from vision.sequence import SequenceReader


def read_pictures(
    images: Sequence[Path],
    *,
    as_json: bool,
    layout: Path | None,
    sequence: bool,
    deck: Path | None,
    fps: float,
) -> int:
    """Print the cards of each picture; how many could not be opened. Raises `ConfigError`."""
    calibrated = load_layout(layout) if layout is not None else None
    reader = CardReader.open() if deck is None else open_with_deck(deck)[0]
    look = SequenceReader(reader, fps).read if sequence else partial(reader.read, thorough=True)
    return sum(not _read_one(path, look, calibrated, as_json=as_json) for path in images)


def _read_one(path: Path, look: Callable[..., Reading], layout: Layout | None, *, as_json: bool) -> bool:
    try:
        image = load_picture(path)
        height, width = image.shape[:2]
        felt = TableMap(layout, width, height, str(path)) if layout is not None else None
        reading = look(image, card_px=felt.card_px if felt is not None else None)
    except TableError as error:
        # On standard error alone: an object without cards could be taken for an empty table.
        print_error(error)
        return False
    if not as_json:
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


_IN_ROUNDS: Final = {
    "ENROL_NOT_FOUND": "ENROL_MORE_ROUNDS",
    "ENROL_INCOMPLETE": "ENROL_MORE_ROUNDS",
    "ENROL_UNPROVEN": "ENROL_ROUNDS_UNPROVEN",
}
"""What a refusal is called where recordings alone were given."""


def enrol_deck(
    files: list[Path],
    out: Path,
    *,
    labels: Path | None,
    order: str | None,
    camera: str | None,
    as_json: bool,
    force: bool,
) -> int:
    """Write the profile, or print why there is none; the exit status of the command."""
    # Recordings, those of folders too, and pictures.
    every = [*chain.from_iterable(segments_in(path) if path.is_dir() else [path] for path in files)]
    recordings = [path for path in every if SUFFIX in path.suffixes]
    images = [path for path in every if path not in recordings]
    outputs = Outputs((*recordings, *images, *([] if labels is None else [labels])), force)
    outputs.require_free(out)
    try:
        pictures = _pictures(images, labels, order, camera)
        networks = CardReader.open().networks
        looks = deck_looks(recordings, networks) if recordings else None
    except (ConfigError, RecordingError, JournalError) as error:
        print_error(error)
        return 2
    except TableError as error:
        print_error(error)
        return 1
    try:
        profile = write_profile(_enrolled(pictures, looks, networks), out, outputs)
    except TableError as error:
        _refuse(error, looks, as_json)
        return 1
    shown = len(pictures) + (0 if looks is None else len(looks.pictures))
    _print_profile(profile, looks, shown, out, as_json)
    return 0


def _enrolled(pictures: list[EnrolPicture], looks: DeckLooks | None, networks: Networks) -> DeckProfile:
    """Return the profile of both; raises as `enrol`, with the cards that recordings alone lack."""
    if looks is None:
        return enrol(pictures, networks)
    try:
        return enrol([*pictures, *looks.pictures], networks)
    except TableError as error:
        if error.code not in _IN_ROUNDS or pictures:
            raise
        missing = looks.not_pictured
        lacks: dict[str, str | int] = {
            "names": " ".join((*RANKS, *SUITS)),
            **error.params,
            "used": looks.used,
            "rounds": looks.rounds,
            "differs": looks.differing,
            "missing": len(missing),
            "cards": " ".join(f"{name.rank}{name.suit}" for name in missing) or "-",
        }
        code = _IN_ROUNDS[error.code]
        if code == "ENROL_MORE_ROUNDS" and looks.differing > looks.used:
            # More of such rounds would not help.
            code = "ENROL_ROUNDS_DIFFER"
        raise TableError(code, **lacks) from error


def _pictures(
    images: list[Path], labels: Path | None, order: str | None, camera: str | None
) -> list[EnrolPicture]:
    """Return the pictures with their known cards; raises TableError and ConfigError as their readers."""
    if (labels is None) == (order is None) and (images or labels is not None):
        raise ConfigError("ENROL_HOW")
    if not images and order is not None:
        raise ConfigError("ENROL_HOW")
    known = load_labels(labels) if labels is not None else {}
    names = parse_order(order) if order is not None else []
    unlabelled = next((path for path in images if labels is not None and path.name not in known), None)
    if unlabelled is not None:
        raise ConfigError("ENROL_NOT_LABELLED", file=str(unlabelled), path=str(labels))
    found = []
    for path in images:
        if path.suffix == ".toml":
            found += [
                EnrolPicture(one.name, hashlib.sha256(one.image.tobytes()).hexdigest(), one.image, (), names)
                for one in pictures_of(path, camera, SPREADS, _ask_to_spread)
            ]
            continue
        image = load_picture(path)
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        found.append(EnrolPicture(path.name, sha256, image, known.get(path.name, ()), names))
    return found


def _ask_to_spread(number: int) -> None:
    """Wait for the deck to be spread; at once without a terminal."""
    echo(text("enrol.spread", {"number": number, "of": SPREADS}), err=True)
    if sys.stdin.isatty():
        input()


def _refuse(error: TableError, looks: DeckLooks | None, json_out: bool) -> None:
    """Say why there is no profile; as JSON, too, where that was asked for."""
    print_error(error)
    if json_out:
        print_object({"proven": False, "code": error.code, **error.params, **_recorded(looks)})


def _recorded(looks: DeckLooks | None) -> Json:
    """Return the results of recordings for JSON; nothing without one."""
    if looks is None:
        return {}
    counts = {"rounds": looks.rounds, "used": looks.used, "cards": looks.cards, "looks": len(looks.pictures)}
    left_out = {str(doubt): looks.doubts[doubt] for doubt in DoubtfulCard} | {"enough": looks.enough}
    missing = [f"{name.rank}{name.suit}" for name in looks.not_pictured]
    return {"recorded": {**counts, "left_out": left_out, "not_shown": missing}}


def _print_profile(
    profile: DeckProfile, looks: DeckLooks | None, shown: int, out: Path, json_out: bool
) -> None:
    """Print the profile; `shown` counts all pictures, of a recording those that were used."""
    figures = profile.figures
    if json_out:
        pictures = [{"file": file, "sha256": sha256} for file, sha256 in profile.pictures]
        rounded = {**figures._asdict(), "bound": round(figures.bound, 6), "index_px": profile.deck.index_px}
        cards = rounded.pop("cards")
        fields = {"file": str(out), "sha256": profile.sha256, "pictures": pictures, "cards": cards}
        print_object({"proven": True, **fields, "figures": rounded, **_recorded(looks)})
        return
    counts = {name: getattr(figures, name) for name in ("cards", "indices", "right")}
    params = {"file": str(out), "hash": profile.sha256[:12], "pictures": shown, **counts}
    echo(text("enrol.done", {**params, "bound": f"{100 * figures.bound:.2f}"}))
    if looks is not None:
        left_out = sum(looks.doubts.values())
        given = {"rounds": looks.rounds, "used": looks.used, "cards": looks.cards, "left_out": left_out}
        echo(text("enrol.recorded", {**given, "looks": len(looks.pictures)}))
