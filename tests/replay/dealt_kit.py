"""Rounds at a real table whose shoe names the cards, recorded with drawn pictures of a deck left out."""

import asyncio
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from controller.acts.catalogue import Bet, Close, Decision, End, Reveal
from controller.config import TableConfig
from controller.journal.entry import body_of
from controller.recording.format import decode_entry
from controller.recording.recording_reader import Recorded
from tests.replay.recorded_kit import RecordedTable, changed
from tests.vision.enrolment.deck_kit import ART_PX, ENGLISH, ORDER
from vision.geometry import Image
from vision.synth import CardStyle, DrawnCard, Scene, draw_back, draw_card, random_felt, take_picture

CAMERA: Final = "above"
BOXES: Final = 4
CARD_PX: Final = 150.0
WIDE, HIGH = 1024, 640
DEALERS: Final = (("10s", "9h"), ("Kd", "8c"), ("Jc", "7d"), ("9s", "Qh"), ("Qc", "Js"), ("8d", "Kh"))
"""The dealer's cards, open and face down: he draws none to them."""

Laid = list[tuple[str, tuple[int, int], bool]]
"""Cards with their places and whether they lie face down, the lowest first."""

EACH_NS: Final = 1_000_000_000
SHOWN_NS: Final = (250_000_000, 400_000_000, 550_000_000, 700_000_000)
"""When a camera shows a card after it was told."""


def player_cards(seed: int) -> Iterator[str]:
    """All 52 cards again and again, in an order of its own."""
    order = np.random.default_rng(seed).permutation(len(ORDER)).tolist()
    return cycle([f"{ORDER[number].rank}{ORDER[number].suit}" for number in order])


def dealt_rounds(folder: Path, rounds: int, seed: int = 3) -> Path:
    """Record so many rounds of four boxes that stand on two cards; the camera has shown nothing yet."""
    folder.mkdir(exist_ok=True)
    table = RecordedTable(folder)
    camera = {
        "name": CAMERA,
        "source": "rendered",
        "boxes": [{"box": 1, "x": 1, "y": 1, "radius": 1}],
        "dealer": {"x": 9, "y": 1, "radius": 1},
    }
    told = table.config.model_dump(mode="json") | {"camera": [camera]}
    table.config = TableConfig.model_validate(told)
    players = player_cards(seed)

    async def story() -> None:
        async with table:
            for number in range(rounds):
                up, hole = DEALERS[number % len(DEALERS)]
                own = [next(players) for _ in range(2 * BOXES)]
                await table.say(*(Bet(box, 0, 1000) for box in range(1, BOXES + 1)), Close())
                await table.deal(*own[:BOXES], up, *own[BOXES:], hole)
                for box in range(1, BOXES + 1):
                    await table.say(Decision(box, 1, "stand"))
                await table.say(Reveal(), End())

    asyncio.run(story())
    (recording,) = table.recordings
    return recording


def place_of(number: int) -> tuple[int, int]:
    """Where the so-many-th card of a round lies: each box's second one beside its first."""
    if number in {BOXES, 2 * BOXES + 1}:
        return (420 + 130 * (number != BOXES), 120)
    box, second = (number, 0) if number < BOXES else (number - BOXES - 1, 1)
    return (90 + box * 250 + second * 115, 420)


Change = Callable[[int, Laid], Laid]
"""What a camera sees of a round, counted from 0, in place of what was dealt."""


def as_dealt(_: int, laid: Laid) -> Laid:
    """The cards as they were told."""
    return laid


def filmed(recording: Path, path: Path, seen: Change = as_dealt, style: CardStyle = ENGLISH) -> Path:
    """The same rounds a card a second, with the camera's pictures of them."""
    return changed(recording, path, Film(str(recording), seen, style).take)


class Film:
    """Puts pictures between the entries of a recording."""

    def __init__(self, path: str, seen: Change, style: CardStyle) -> None:
        self._path, self._seen, self._style = path, seen, style
        self._now_ns = 0
        self._round, self._dealt = 0, 0
        self._laid: Laid = []

    def take(self, recorded: Recorded) -> Iterator[Recorded]:
        if not self._now_ns:
            self._now_ns = recorded.mono_ns
            yield from self._shown(recorded, [])
        self._now_ns += 1_000_000
        body = _fact(recorded, self._path)
        if body.get("obs") in {"card", "reveal", "end"}:
            self._now_ns += EACH_NS
        yield recorded._replace(mono_ns=self._now_ns)
        if self._follows(body):
            yield from self._shown(recorded, self._seen(self._round, list(self._laid)))
        if body.get("obs") == "end":
            self._round += 1

    def _follows(self, body: dict[str, Any]) -> bool:
        """Whether the felt looks different after this entry."""
        match body.get("obs"):
            case "card":
                hole = self._dealt == 2 * BOXES + 1
                self._laid.append((f"{body['rank']}{body['suit']}", place_of(self._dealt), hole))
                self._dealt += 1
            case "reveal":
                self._laid = [(name, at, False) for name, at, _ in self._laid]
            case "end":
                self._laid, self._dealt = [], 0
            case _:
                return False
        return True

    def _shown(self, recorded: Recorded, laid: Laid) -> Iterator[Recorded]:
        jpeg = cv2.imencode(".jpg", drawn(laid, self._style), [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
        for after_ns in SHOWN_NS:
            yield recorded._replace(kind="jpeg", source=CAMERA, mono_ns=self._now_ns + after_ns, data=jpeg)
        self._now_ns += SHOWN_NS[-1]


def _fact(recorded: Recorded, path: str) -> dict[str, Any]:
    """What a fact of the journal says, nothing for any other message."""
    if recorded.kind != "fact":
        return {}
    entry = decode_entry(recorded.data, path)
    return body_of(entry) if entry.kind == "fact" else {}


def drawn(laid: Laid, style: CardStyle = ENGLISH) -> Image:
    """A picture of these cards."""
    felt = np.ascontiguousarray(random_felt(np.random.default_rng(9), WIDE)[:HIGH])
    cards = []
    for name, (x, y), down in laid:
        rank, suit = name[:-1], name[-1]
        art = draw_back(style, ART_PX) if down else draw_card(style, rank, suit, ART_PX)
        face = "down" if down else "up"
        cards.append(DrawnCard(art, x, y, 0.0, CARD_PX, rank, suit, face))
    return take_picture(Scene(WIDE, HIGH, felt, tuple(cards))).frame
