"""Measure drawn cards past a shoe's mouth: named right, wrongly, left unread, counted twice or missed.

Decks and fonts are left out of training. Every card slides in, rests and slides out in front of a camera of
30 pictures a second, which sends JPEG; the table's reader reads the pictures.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import cv2
import numpy as np

from models.decks import deck_folders
from models.figures import upper_bound
from models.stress_scenes import held_out_deck
from vision.card_passes import CardLeft, ExitSide, MouthEvent
from vision.geometry import Image
from vision.inference import default_models_dir
from vision.networks import Networks
from vision.reading import RANKS, SUITS
from vision.shoe_mouth import MouthCameraSetup, MouthTracker
from vision.synth import CardArt, DeckArt, Passage, draw_mouth, with_noise

SEED: Final = 4_100
FPS: Final = 30.0
SHIFT: Final = 20
"""Cards of one deck that pass in a row."""

_LATE_MS: Final = 400.0
"""A doubt that comes so long after a card has gone may still be about it."""

_EARLY_MS: Final = 80.0
"""The last dark edge of a card may pass for the empty mouth: it is then reported so long before its end."""

SIDES: Final[tuple[ExitSide, ...]] = ("bottom", "top", "right", "left")

Span = tuple[float, float]


class Manner(NamedTuple):
    """How cards pass and are imaged: spans in ms, light, sigma of blur (px) and noise, JPEG quality."""

    in_ms: Span = (120, 260)
    rest_ms: Span = (120, 250)
    out_ms: Span = (90, 200)
    gap_ms: Span = (130, 500)
    light: Span = (0.85, 1.05)
    blur_px: Span = (0.0, 0.0)
    noise: Span = (2.0, 4.0)
    quality: Span = (80, 95)
    pushed_back: float = 0.0


_MANNERS: Final = {
    "dealt calmly": Manner(),
    "dealt fast, hardly at rest": Manner(in_ms=(90, 150), rest_ms=(0, 70), out_ms=(70, 110)),
    "close behind each other": Manner(gap_ms=(0, 70)),
    "poor light, soft, noisy": Manner(light=(0.55, 1.2), blur_px=(0.5, 2.0), noise=(4, 10), quality=(50, 85)),
    "half of them pushed back once": Manner(pushed_back=0.5),
}


def measure(passes: int, folder: Path | None, tell: Callable[[str], None]) -> dict[str, Any]:
    """Figures of about so many cards, shared among the manners; `folder` holds decks of card art."""
    networks = Networks.open(default_models_dir(), 1)
    folders = [] if folder is None else deck_folders(folder, held_out=True)
    rows = {}
    for number, (name, manner) in enumerate(_MANNERS.items()):
        counts: Counter[str] = Counter()
        for turn in range(max(1, round(passes / SHIFT / len(_MANNERS)))):
            rng = np.random.default_rng((SEED, number, turn))
            counts.update(_passed(networks, manner, held_out_deck(rng, folders), rng))
        rows[name] = _row(counts)
        tell(f"mouth: {name}: {dict(counts)}")
    return {"passes": sum(row["cards"] for row in rows.values()), "fps": FPS, "manners": rows}


def _row(counts: Counter[str]) -> dict[str, Any]:
    named = counts["right"] + counts["wrong"]
    return {**counts, "bound": upper_bound(counts["wrong"], named)}


def _passed(networks: Networks, manner: Manner, deck: DeckArt, rng: np.random.Generator) -> Counter[str]:
    """Let one deck's cards pass and count the reports of each."""
    leaves = SIDES[rng.integers(len(SIDES))]
    cards = list(_cards(manner, deck, rng))
    watcher = MouthTracker(networks, MouthCameraSetup(leaves=leaves))
    events = list(_events(watcher, [passage for _, passage in cards], leaves, manner, rng))
    drawn = [(name, passage) for name, passage in cards if not passage.back]
    return _counted(drawn, events, sum(passage.back for _, passage in cards))


def _cards(
    manner: Manner, deck: DeckArt, rng: np.random.Generator
) -> Iterator[tuple[tuple[str, str], Passage]]:
    start_ms = 300.0
    for _ in range(SHIFT):
        name, art = _face(deck, rng)
        for back in (True, False) if rng.random() < manner.pushed_back else (False,):
            spans = (rng.uniform(*span) for span in (manner.in_ms, manner.rest_ms, manner.out_ms))
            in_ms, rest_ms, out_ms = (float(span) for span in spans)
            right, down = (float(part) for part in rng.normal(0, 6, 2))
            turn_deg = float(rng.normal(0, 2))
            passage = Passage(art, start_ms, in_ms, rest_ms, out_ms, (right, down), turn_deg, back)
            yield name, passage
            start_ms = passage.end_ms + float(rng.uniform(*manner.gap_ms))


def _face(deck: DeckArt, rng: np.random.Generator) -> tuple[tuple[str, str], CardArt]:
    while True:
        name = RANKS[rng.integers(len(RANKS))], SUITS[rng.integers(len(SUITS))]
        art = deck.face(*name)
        if art is not None:
            return name, art


def _events(
    watcher: MouthTracker, passages: list[Passage], leaves: ExitSide, manner: Manner, rng: np.random.Generator
) -> Iterator[tuple[float, MouthEvent]]:
    """Everything that is reported, with the time of its picture."""
    light, blur_px, noise = (
        float(rng.uniform(*span)) for span in (manner.light, manner.blur_px, manner.noise)
    )
    now_ms, quality = 0.0, int(rng.uniform(*manner.quality))
    while now_ms < passages[-1].end_ms + _LATE_MS:
        present = next((one for one in passages if one.start_ms <= now_ms <= one.end_ms), None)
        picture = np.clip(draw_mouth(present, now_ms, leaves) * light, 0, 255).astype(np.uint8)
        if blur_px > 0.3:
            picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur_px))
        update = watcher.update(_sent(with_noise(picture, rng, noise), quality), round(now_ms))
        yield from ((now_ms, event) for event in update.events)
        now_ms += 1000 / FPS


def _sent(picture: Image, quality: int) -> Image:
    coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR))


def _counted(
    cards: list[tuple[tuple[str, str], Passage]], events: list[tuple[float, MouthEvent]], pushed_back: int
) -> Counter[str]:
    """Count the result of each card. A report belongs to the last card that had left before it."""
    ends = [passage.end_ms for _, passage in cards]
    left: list[list[CardLeft]] = [[] for _ in cards]
    asked = [at_ms for at_ms, event in events if not isinstance(event, CardLeft)]
    for at_ms, event in events:
        if isinstance(event, CardLeft):
            left[max(0, bisect_right(ends, at_ms + _EARLY_MS) - 1)].append(event)
    counts = Counter(cards=len(cards), pushed_back=pushed_back, asked=len(asked))
    borders = [0.0, *ends[1:], ends[-1] + _LATE_MS]
    for (name, passage), counted, (since, until) in zip(cards, left, pairwise(borders), strict=True):
        silent = not any(min(since, passage.start_ms) < at_ms <= until + _LATE_MS for at_ms in asked)
        counts[_verdict(name, counted)] += 1
        if len(counted) != 1 and silent:
            counts[f"{_verdict(name, counted)}_in_silence"] += 1
    return counts


def _verdict(name: tuple[str, str], counted: list[CardLeft]) -> str:
    if len(counted) != 1:
        return "lost" if not counted else "doubled"
    return "unread" if counted[0].name is None else "right" if counted[0].name == name else "wrong"
