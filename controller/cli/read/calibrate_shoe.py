"""`stand17 calibrate shoe CONFIG`: known cards judge a reader that counts and the camera that names."""

import json
import statistics
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from controller.cli.json_words import print_answer
from controller.cli.output import echo
from controller.config import TableConfig, load_config
from controller.devices.shoes.joined_shoe import coded_mouth, joined_shoe
from controller.domain.errors import ConfigError
from controller.i18n import text
from controller.ports import SystemClock
from drivers.shoe.shoe_events import CardOut, CutCardOut, DoubleFeed, PassageMeasured, ShoeEvent

CARDS: Final = 20
PATIENCE_S: Final = 600.0
GAP_MM: Final = 44.0
"""Between the sensors (hardware/shoe-reader/design/geometry.py)."""

LENGTH_MM: Final = (54.0, 68.0)
"""What a card can measure in the way it is drawn: bridge to poker, with what a hand's jerk adds."""

THICK_SPREAD: Final = 0.15
NAMED_MIN: Final = 0.95
"""A single card's thickness may differ by this share from the middle one; so many cards have to be named."""

PAIR_TIMES: Final = 1.3


class ShoeComplaint(NamedTuple):
    """What is wrong with a reader; `code` names the sentence `calibrate.<code>`."""

    code: str
    params: tuple[tuple[str, str | int], ...] = ()


class ShoeCalibration(NamedTuple):
    """What the known cards have shown. `pair` is the threshold of two cards, in the reader's percent.

    `cut` is how thick the cut card is in it; None where none was drawn.
    """

    cards: int
    named: int
    card_mm: float
    thick_percent: float
    pair: int
    cut: int | None
    complaints: tuple[ShoeComplaint, ...]


def length_mm(measured: PassageMeasured) -> float:
    """A card's length from its three times, as the firmware computes it; exact for a steady speed."""
    front, middle, rear = measured.part_ms
    speed = (GAP_MM / max(front, 0.1) + GAP_MM / max(rear, 0.1)) / 2
    return speed * (front / 2 + middle + rear / 2)


def judged(events: Sequence[ShoeEvent], expected: Sequence[str], drawn: int = 0) -> ShoeCalibration:
    """Judge what a reader reported of so many `drawn` cards; `expected` are their names in order, or none."""
    cards = [event for event in events if isinstance(event, CardOut)]
    measured, cut = _measured(events)
    lengths = [length_mm(one) for one in measured] or [0.0]
    thick = [float(one.thick_percent) for one in measured] or [0.0]
    card_mm, middle = statistics.median(lengths), statistics.median(thick)
    named = [f"{card.rank}{card.suit or ''}" for card in cards if card.rank]
    complaints = []
    wanted = drawn or len(expected)
    if len(cards) < wanted:
        complaints.append(ShoeComplaint("SHOE_FEW", (("found", len(cards)), ("cards", wanted))))
    if len(named) < NAMED_MIN * len(cards):
        complaints.append(
            ShoeComplaint("SHOE_UNREAD", (("unread", len(cards) - len(named)), ("all", len(cards))))
        )
    if expected and [f"{card.rank}{card.suit or ''}" if card.rank else "?" for card in cards] != list(
        expected
    ):
        complaints += _wrong(cards, expected)
    if not LENGTH_MM[0] <= card_mm <= LENGTH_MM[1]:
        complaints.append(ShoeComplaint("SHOE_LENGTH", (("mm", round(card_mm)),)))
    if any(abs(one - middle) > THICK_SPREAD * middle for one in thick) or middle <= 0:
        complaints.append(
            ShoeComplaint("SHOE_THICKNESS", (("least", round(min(thick))), ("most", round(max(thick)))))
        )
    if any(isinstance(event, DoubleFeed) for event in events):
        complaints.append(ShoeComplaint("SHOE_DOUBLE"))
    pair = round(PAIR_TIMES * middle)
    return ShoeCalibration(len(cards), len(named), card_mm, middle, pair, cut, tuple(complaints))


def _measured(events: Sequence[ShoeEvent]) -> tuple[list[PassageMeasured], int | None]:
    """The passages of cards, and the thickness of the cut card, which is none of them and the thickest."""
    passages = [event for event in events if isinstance(event, PassageMeasured)]
    if not passages or not any(isinstance(event, CutCardOut) for event in events):
        return passages, None
    cut = max(passages, key=lambda passage: passage.thick_percent)
    return [passage for passage in passages if passage is not cut], cut.thick_percent


def _wrong(cards: Sequence[CardOut], expected: Sequence[str]) -> list[ShoeComplaint]:
    """The first card that was named otherwise than it is."""
    for number, (card, name) in enumerate(zip(cards, expected, strict=False), 1):
        read = f"{card.rank}{card.suit or ''}"
        if card.rank and not name.startswith(read):
            return [ShoeComplaint("SHOE_WRONG", (("number", number), ("read", read), ("card", name)))]
    return []


class KnownCards(NamedTuple):
    """What somebody knows of the cards that are drawn: their names in order, and their side along the way."""

    names: tuple[str, ...] = ()
    card_mm: float | None = None


def settings_of(found: ShoeCalibration, card_mm: float | None = None) -> dict[str, int]:
    """What belongs into the board's settings.json.

    Times alone give a card's length only as a share of the way between the sensors: with the cards' own
    size, `card_mm`, that way is known instead.
    """
    settings = {"card_mm": round(card_mm or found.card_mm), "pair": found.pair}
    if card_mm is not None and found.card_mm:
        settings["gap_mm"] = round(GAP_MM * card_mm / found.card_mm)
    if found.cut is not None:
        settings["cut"] = found.cut
    return settings


def calibrate_shoe(path: Path, known: KnownCards, tongue: str, *, as_json: bool) -> bool:
    """Listen to 20 draws of the configured reader, or as many as names are known; whether nothing is wrong.

    Raises `ConfigError` as `load_config`, NOT_JOINED where no reader counts for a camera.
    """
    config = load_config(path)
    wanted = len(known.names) or CARDS
    events = _drawn(config, wanted, tongue, quiet=as_json)
    found = judged(events, known.names, wanted)
    settings = settings_of(found, known.card_mm)
    sentences = [text(f"calibrate.{one.code}", dict(one.params), tongue) for one in found.complaints]
    if as_json:
        print_answer(
            "shoe_calibration",
            cards=found.cards,
            named=found.named,
            card_mm=found.card_mm,
            thick_percent=found.thick_percent,
            settings=settings,
            complaints=sentences,
        )
        return not sentences
    figures = {"named": found.named, "cards": found.cards, "mm": round(found.card_mm), "pair": found.pair}
    echo(text("calibrate.shoe_found", figures, tongue))
    echo(f"settings.json: {json.dumps(settings)}")
    for sentence in sentences:
        echo(sentence)
    return not sentences


def _drawn(config: TableConfig, wanted: int, tongue: str, *, quiet: bool) -> list[ShoeEvent]:
    """Open reader and camera, and wait for so many cards, ten minutes at most."""
    if config.shoe is None or config.shoe_mouth is None:
        raise ConfigError("NOT_JOINED")
    events: list[ShoeEvent] = []
    enough = threading.Event()

    def listen(event: ShoeEvent) -> None:
        events.append(event)
        count = sum(isinstance(one, CardOut) for one in events)
        if isinstance(event, CardOut) and not quiet:
            echo(f"{count}/{wanted}", err=True)
        if count >= wanted:
            enough.set()

    reader = coded_mouth(config.shoe_mouth, config.models.folder)
    devices = joined_shoe(
        (config.shoe, config.shoe_mouth), reader, SystemClock(), "calibrate", lambda _: None, overhear=listen
    )
    if not quiet:
        echo(text("calibrate.shoe_draw", {"cards": wanted}, tongue), err=True)
    for device in devices:
        device.open()
    try:
        enough.wait(PATIENCE_S)
        time.sleep(0.2)
    finally:
        for device in devices:
            device.close()
    return list(events)
