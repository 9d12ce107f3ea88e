"""`stand17 calibrate shoe CONFIG`: known cards judge a reader that counts and the camera that names."""

import json
import math
import queue
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from controller.cli.output import echo, print_answer
from controller.config import TableConfig, load_config
from controller.devices.shoes import coded_mouth, joined_shoe
from controller.domain import ConfigError
from controller.i18n import text
from controller.ports import SystemClock
from drivers.shoe.reader import (
    CardOut,
    CommandAnswered,
    CutCardOut,
    DoubleFeed,
    PassageMeasured,
    SerialShoe,
    ShoeCommand,
    ShoeEvent,
    ShoeValue,
)

CARDS: Final = 20
PATIENCE_S: Final = 600.0
GAP_MM: Final = 48.0
"""Between the sensors (hardware/shoe-reader/design/geometry.py)."""

_LENGTH_MM: Final = (54.0, 68.0)
"""What a card can measure in the way it is drawn: bridge to poker, with what a hand's jerk adds."""

_THICK_SPREAD: Final = 0.15
NAMED_MIN: Final = 0.95
"""A single card's thickness may differ by this share from the middle one; so many cards have to be named."""

_PAIR_TIMES: Final = 1.3

_BRIGHT_TIMES: Final = 2.0
"""Paper lowers the reflective sensor's pin so many times as far as the cut card, at least."""

SETTINGS: Final = {"gap_mm": 1, "card_mm": 2, "pair": 3, "cut": 4, "card_counts": 5, "dark_mv": 6}
LAST_COUNTS: Final = 64
LAST_MV: Final = 65
"""Numbers of settings and measures (hardware/open-shoe-protocol.md, section 5)."""

ANSWER_S: Final = 3.0
"""A setting is answered or given up after two seconds."""


class ShoeComplaint(NamedTuple):
    """A fault of a reader; `code` names the sentence `calibrate.<code>`."""

    code: str
    params: tuple[tuple[str, str | int], ...] = ()


class ShoeCalibration(NamedTuple):
    """The results of the known cards. `pair` is the threshold of two cards, in the reader's percent.

    `cut` is the cut card's thickness in it, None without a drawn cut card. `card_counts` is a card's
    contribution to the thickness sensor, `dark_mv` lies between paper and cut card. Both are None for a
    reader that does not report them (before protocol 1.2) or without a cut card.
    """

    cards: int
    named: int
    card_mm: float
    thick_percent: float
    pair: int
    cut: int | None
    card_counts: int | None
    dark_mv: int | None
    complaints: tuple[ShoeComplaint, ...]


def _length_mm(measured: PassageMeasured) -> float:
    """A card's length from its three times, as the firmware computes it; exact for a steady speed."""
    front, middle, rear = measured.part_ms
    speed = (GAP_MM / max(front, 0.1) + GAP_MM / max(rear, 0.1)) / 2
    return speed * (front / 2 + middle + rear / 2)


class Measured(NamedTuple):
    """One passage as measured by the reader; `counts` and `mv` from its answer, else None."""

    passage: PassageMeasured
    counts: int | None = None
    mv: int | None = None

    @property
    def thick(self) -> float:
        """The thickness in the sensor's own counts, or in percent of the reader's card."""
        return float(self.passage.thick_percent if self.counts is None else self.counts)


def judged(events: Sequence[ShoeEvent], expected: Sequence[str], drawn: int = 0) -> ShoeCalibration:
    """Judge a reader's reports of `drawn` cards; `expected` are their names in order, or none."""
    cards = [event for event in events if isinstance(event, CardOut)]
    measured, cut = _measured(events)
    card_mm = statistics.median([_length_mm(one.passage) for one in measured] or [0.0])
    thick = [one.thick for one in measured] or [0.0]
    middle = statistics.median(thick)
    complaints = _about_names(cards, expected, drawn or len(expected))
    if not _LENGTH_MM[0] <= card_mm <= _LENGTH_MM[1]:
        complaints.append(ShoeComplaint("SHOE_LENGTH", (("mm", round(card_mm)),)))
    if any(abs(one - middle) > _THICK_SPREAD * middle for one in thick) or middle <= 0:
        share = 100 / middle if middle > 0 else 0.0
        least, most = round(min(thick) * share), round(max(thick) * share)
        complaints.append(ShoeComplaint("SHOE_THICKNESS", (("least", least), ("most", most))))
    dark_mv, is_bright = _dark_mv(measured, cut)
    if is_bright:
        complaints.append(ShoeComplaint("SHOE_CUT_BRIGHT"))
    is_counted = bool(measured) and all(one.counts is not None for one in measured)
    # Once `card_counts` is set a card has 100 %; before that nothing is known but how much it has now.
    card = 100.0 if is_counted else middle
    if not is_counted and any(isinstance(event, DoubleFeed) for event in events):
        complaints.append(ShoeComplaint("SHOE_DOUBLE"))
    return ShoeCalibration(
        cards=len(cards),
        named=sum(card.rank is not None for card in cards),
        card_mm=card_mm,
        thick_percent=statistics.median([float(one.passage.thick_percent) for one in measured] or [0.0]),
        pair=round(_PAIR_TIMES * card),
        cut=None if cut is None or middle <= 0 else round(card * cut.thick / middle),
        card_counts=round(middle) if is_counted and middle > 0 else None,
        dark_mv=dark_mv,
        complaints=tuple(complaints),
    )


def _about_names(cards: Sequence[CardOut], expected: Sequence[str], wanted: int) -> list[ShoeComplaint]:
    """Cards that were not counted, not read, or read wrong."""
    complaints = []
    unread = sum(card.rank is None for card in cards)
    if len(cards) < wanted:
        complaints.append(ShoeComplaint("SHOE_FEW", (("found", len(cards)), ("cards", wanted))))
    if unread > (1 - NAMED_MIN) * len(cards):
        complaints.append(ShoeComplaint("SHOE_UNREAD", (("unread", unread), ("all", len(cards)))))
    return complaints + _wrong(cards, expected)


def _measured(events: Sequence[ShoeEvent]) -> tuple[list[Measured], Measured | None]:
    """The passages of cards, and that of the cut card, which is none of them and the thickest."""
    passages: list[Measured] = []
    for event in events:
        if isinstance(event, PassageMeasured):
            passages.append(Measured(event))
        elif isinstance(event, ShoeValue) and passages:
            last = passages[-1]
            counts = event.value if event.number == LAST_COUNTS else last.counts
            mv = event.value if event.number == LAST_MV else last.mv
            passages[-1] = Measured(last.passage, counts, mv)
    if not passages or not any(isinstance(event, CutCardOut) for event in events):
        return passages, None
    cut = max(passages, key=lambda one: one.thick)
    return [one for one in passages if one is not cut], cut


def _dark_mv(cards: Sequence[Measured], cut: Measured | None) -> tuple[int | None, bool]:
    """A threshold between paper and cut card, and whether the two are too near each other for one."""
    paper = [one.mv for one in cards if one.mv is not None]
    if not paper or cut is None or cut.mv is None:
        return None, False
    least, black = min(paper), max(cut.mv, 1)
    return round(math.sqrt(least * black)), least < _BRIGHT_TIMES * black


def _wrong(cards: Sequence[CardOut], expected: Sequence[str]) -> list[ShoeComplaint]:
    """The first card that was named otherwise than it is."""
    for number, (card, name) in enumerate(zip(cards, expected, strict=False), 1):
        read = f"{card.rank}{card.suit or ''}"
        if card.rank and not name.startswith(read):
            return [ShoeComplaint("SHOE_WRONG", (("number", number), ("read", read), ("card", name)))]
    return []


def settings_of(found: ShoeCalibration, card_mm: float | None = None) -> dict[str, int]:
    """Return the settings for the board's settings.json.

    Times alone give a card's length only as a share of the distance between the sensors. With the measured
    card, `card_mm`, that distance is known.
    """
    settings = {"card_mm": round(card_mm or found.card_mm), "pair": found.pair}
    if card_mm is not None and found.card_mm:
        settings["gap_mm"] = round(GAP_MM * card_mm / found.card_mm)
    for name, value in (("cut", found.cut), ("card_counts", found.card_counts), ("dark_mv", found.dark_mv)):
        if value is not None:
            settings[name] = value
    return settings


def calibrate_shoe(
    path: Path, names: Sequence[str], card_mm: float | None, tongue: str, *, check: bool, as_json: bool
) -> bool:
    """Measure 20 draws of the configured reader, or one per name; return whether it has no fault.

    `names` are the known cards in order, `card_mm` their side along the way.

    The settings are written onto the board, unless there is a fault or `check` is set. Raises `ConfigError`
    as `load_config`, NOT_JOINED when no reader counts for a camera.
    """
    config = load_config(path)
    wanted = len(names) or CARDS
    session = _Session(config)
    try:
        events = session.drawn(wanted, tongue, quiet=as_json)
        found = judged(events, names, wanted)
        settings = settings_of(found, card_mm)
        kept = not check and not found.complaints and session.keep(settings)
    finally:
        session.close()
    sentences = [text(f"calibrate.{one.code}", dict(one.params), tongue) for one in found.complaints]
    if as_json:
        print_answer(
            "shoe_calibration",
            cards=found.cards,
            named=found.named,
            card_mm=found.card_mm,
            thick_percent=found.thick_percent,
            settings=settings,
            kept=kept,
            complaints=sentences,
        )
        return not sentences
    figures = {"named": found.named, "cards": found.cards, "mm": round(found.card_mm), "pair": found.pair}
    echo(text("calibrate.shoe_found", figures, tongue))
    if not check:
        echo(f"settings.json: {json.dumps(settings)}")
    for sentence in sentences:
        echo(sentence)
    verdict = (
        "shoe_wrong" if sentences else "shoe_ready" if check else "shoe_kept" if kept else "shoe_not_kept"
    )
    echo(text(f"calibrate.{verdict}", {"count": len(sentences)}, tongue))
    return not sentences


class _Session:
    """Reader and camera of a configuration, open for a calibration. Raises `ConfigError` NOT_JOINED."""

    def __init__(self, config: TableConfig) -> None:
        if config.shoe is None or config.shoe_mouth is None:
            raise ConfigError("NOT_JOINED")
        self._heard: queue.Queue[ShoeEvent] = queue.Queue()
        reader = coded_mouth(config.shoe_mouth, config.models.folder)
        self._devices = joined_shoe(
            (config.shoe, config.shoe_mouth),
            reader,
            SystemClock(),
            "calibrate",
            lambda _: None,
            overhear=self._heard.put,
        )

    @property
    def _shoe(self) -> SerialShoe:
        return self._devices[0]

    def drawn(self, wanted: int, tongue: str, *, quiet: bool) -> list[ShoeEvent]:
        """Return the reports of `wanted` cards, within ten minutes; ask each passage for its measures."""
        if not quiet:
            echo(text("calibrate.shoe_draw", {"cards": wanted}, tongue), err=True)
        for device in self._devices:
            device.open()
        events: list[ShoeEvent] = []
        count, until = 0, time.monotonic() + PATIENCE_S
        while count < wanted and (event := self._next(until)) is not None:
            events.append(event)
            if isinstance(event, PassageMeasured):
                self._shoe.send(ShoeCommand("setting", LAST_COUNTS))
                self._shoe.send(ShoeCommand("setting", LAST_MV))
            count += isinstance(event, CardOut)
            if isinstance(event, CardOut) and not quiet:
                echo(f"{count}/{wanted}", err=True)
        # Events of the last card, and the answers to its requests.
        until = time.monotonic() + 0.5
        while (event := self._next(until)) is not None:
            events.append(event)
        return events

    def keep(self, settings: dict[str, int]) -> bool:
        """Write settings onto the board; whether it has confirmed each."""
        for name, value in settings.items():
            number = SETTINGS[name]
            self._shoe.send(ShoeCommand("setting", number, value))
            until = time.monotonic() + ANSWER_S
            while (event := self._next(until)) is not None:
                if isinstance(event, CommandAnswered):
                    return False
                if event == ShoeValue(number, value):
                    break
            else:
                return False
        return True

    def close(self) -> None:
        for device in self._devices:
            device.close()

    def _next(self, until: float) -> ShoeEvent | None:
        """Return the next event; None when none comes in time."""
        try:
            return self._heard.get(timeout=max(until - time.monotonic(), 0))
        except queue.Empty:
            return None
