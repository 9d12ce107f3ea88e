"""Measure a picture's time beside a network of YOLO11n's size in the same run; memory; start-up.

The two alternate, so that other load affects both. Both may use two threads, neither spins.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types

from models.measure.timing import rival
from models.stress.scenes import zoomed
from vision.enrolment import EnrolPicture, KnownCard, enrol
from vision.geometry import Image
from vision.networks import Prototypes
from vision.reader import CardReader
from vision.reading import RANKS, SUITS, CardName, Reading
from vision.sequence import RestingReader
from vision.synth import (
    CARD_PX,
    DEALER,
    DrawnTableView,
    Scene,
    TableCard,
    TableHand,
    card_quad,
    render_frame,
    table_scene,
    take_picture,
)
from vision.tracking import CardTracker

SEED: Final = 25
_THREADS: Final = 2
COUNTS: Final = {1: 4, 2: 3, 3: 3, 4: 3, 5: 3, 6: 3, 7: 4, DEALER: 2}
"""Cards of each box, 25 in all."""

_STILL_FRAMES: Final = 8
_FRAME_MS: Final = 33
"""A watched table gets its next card after so many frames of so many milliseconds."""

_RIVAL_SIZE: Final = (1280, 736)
PROBE: Final = """
import json, sys, time
started = time.perf_counter()
from pathlib import Path
from vision.pictures import load_picture
from vision.reader import CardReader
from vision.sequence import RestingReader
reader = CardReader.open()
cards = len(reader.read(load_picture(Path(sys.argv[1]))).cards)
seconds = time.perf_counter() - started
lines = Path("/proc/self/status").read_text().splitlines()
peak_kib = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
print(json.dumps({"cards": cards, "peak_mib": round(peak_kib / 1024), "inside_s": round(seconds, 3)}))
"""


def table_of(cards: list[tuple[int, TableCard]], seed: int) -> Scene:
    """The demo's layout with those cards, each with its box, in the order of dealing."""
    boxes = sorted({box for box, _ in cards})
    hands = [TableHand(box, 1, tuple(card for here, card in cards if here == box)) for box in boxes]
    return table_scene(DrawnTableView(tuple(hands), tuple(range(1, 8))), seed)


def dealt_cards(seed: int) -> list[tuple[int, TableCard]]:
    """25 random cards face up, with their boxes, in the order of dealing."""
    rng = np.random.default_rng((SEED, seed))
    return [
        (box, TableCard(RANKS[rng.integers(13)], SUITS[rng.integers(4)]))
        for turn in range(max(COUNTS.values()))
        for box, count in COUNTS.items()
        if turn < count
    ]


def _demo_profile(times: int) -> Prototypes:
    """Return the profile of the demo's deck, from two tables that show all of it; `times` as for `zoomed`."""
    names = [CardName(rank, suit) for suit in SUITS for rank in RANKS]
    pictures = []
    for seed in range(2):
        mixed = np.random.default_rng((SEED, seed)).permutation(len(names))
        rows = [(slot % len(COUNTS), TableCard(*names[card])) for slot, card in enumerate(mixed)]
        scene = zoomed(table_of(rows, seed), times)
        known = [
            KnownCard(CardName(card.rank, card.suit), card_quad(card, None), None)
            for card in scene.cards
            if card.rank is not None
        ]
        pictures.append(EnrolPicture(f"{seed}.png", f"{seed}", take_picture(scene).frame, known))
    return enrol(pictures, CardReader.open(threads=_THREADS).networks).deck


def recommended(times: int) -> Callable[[Image], Reading]:
    """Reads as the documentation recommends: with the deck's profile, and the card's size of a layout."""
    reader = CardReader.open(threads=_THREADS, deck=_demo_profile(times))
    return partial(reader.read, card_px=CARD_PX * times)


def _rival_session(folder: Path) -> tuple[onnxruntime.InferenceSession, dict[str, Any]]:
    width, height = _RIVAL_SIZE
    net = rival.write(folder / "rival.onnx", width, height)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _THREADS
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(
        str(folder / "rival.onnx"), options, providers=["CPUExecutionProvider"]
    )
    known = {"values": net.values, "gflops": round(2e-9 * net.multiplications, 2), "size": [width, height]}
    return session, known


def _timed_ms(work: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    started = perf_counter()
    work()
    return (perf_counter() - started) * 1e3


def spread(times_ms: list[float]) -> dict[str, Any]:
    """Median, 95th percentile, least."""
    cuts = quantiles(times_ms, n=20, method="inclusive")
    return {
        "times": len(times_ms),
        "p50_ms": round(cuts[9], 2),
        "p95_ms": round(cuts[18], 2),
        "least_ms": round(min(times_ms), 2),
    }


def _beside_rival(frames: list[Image], repeats: int) -> dict[str, Any]:
    """Reader, plain and as recommended, and rival, in turns, over all frames `repeats` times."""
    reader, by_profile = CardReader.open(threads=_THREADS), recommended(1)
    with TemporaryDirectory() as folder:
        session, known = _rival_session(Path(folder))
    width, height = _RIVAL_SIZE
    inputs = {"images": np.random.default_rng(SEED).random((1, 3, height, width), np.float32)}
    times: dict[str, list[float]] = {"reader": [], "recommended": [], "rival": []}
    reader.read(frames[0])
    by_profile(frames[0])
    session.run(None, inputs)
    for frame in frames * repeats:
        times["reader"].append(_timed_ms(partial(reader.read, frame)))
        times["recommended"].append(_timed_ms(partial(by_profile, frame)))
        times["rival"].append(_timed_ms(partial(session.run, None, inputs)))
    own, known_deck, other = (spread(times[name]) for name in ("reader", "recommended", "rival"))
    return {
        "reader": own,
        "recommended": known_deck,
        "rival": {**known, **other},
        "rival_beside_reader": round(other["p50_ms"] / own["p50_ms"], 2),
        "rival_beside_recommended": round(other["p50_ms"] / known_deck["p50_ms"], 2),
    }


def watched(cards: int) -> dict[str, Any]:
    """Measure frames of a watched table during the deal: all, those without a read, those with one."""
    watcher = CardTracker(RestingReader(CardReader.open(threads=_THREADS)))
    dealt = dealt_cards(0)
    looked: list[float] = []
    read: list[float] = []
    for number in range(cards * _STILL_FRAMES):
        frame = render_frame(table_of(dealt[: 1 + number // _STILL_FRAMES], 0), number)
        started = perf_counter()
        scene = watcher.update(frame, number * _FRAME_MS)
        (read if scene.regions else looked).append((perf_counter() - started) * 1e3)
    return {"all": spread(looked + read), "looked": spread(looked), "read": spread(read)}


def fresh_process(frame: Image) -> dict[str, Any]:
    """Measure a new process: start-up to the end of the first read, and peak memory."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "frame.png"
        cv2.imwrite(str(path), frame)
        started = perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", PROBE, str(path)], capture_output=True, text=True, check=True
        )
        seconds = perf_counter() - started
    return {"start_to_first_read_s": round(seconds, 3), **json.loads(done.stdout)}


def measure(tables: int, repeats: int, cards: int = 25) -> dict[str, Any]:
    """Times of full 1080p and 4K pictures over `tables` layouts and of a watched deal of `cards`.

    Memory and start-up are those of a fresh process.
    """
    cv2.setNumThreads(_THREADS)
    scenes = [table_of(dealt_cards(seed), seed) for seed in range(tables)]
    frames = [render_frame(scene, seed) for seed, scene in enumerate(scenes)]
    large = take_picture(zoomed(scenes[0], 2)).frame
    ways = {"full_4k": CardReader.open(threads=_THREADS).read, "full_4k_recommended": recommended(2)}
    times = max(2, tables * repeats // 4)
    in_4k: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(times + 1):
        for name, read in ways.items():
            taken = _timed_ms(partial(read, large))
            in_4k[name] += [taken] if turn else []
    return {
        "threads": _THREADS,
        "full_1080p": _beside_rival(frames, repeats),
        "watched": watched(cards),
        **{name: spread(taken) for name, taken in in_4k.items()},
        "fresh_process": fresh_process(frames[0]),
    }
