"""Measure a picture's time beside a network of YOLO11n's size in the same run; memory; start-up.

The two alternate, so that other load affects both. Both may use two threads, neither spins. The network has
the layers and widths of the published description (`yolo11.yaml`, scale n: depth 0.50, width 0.25, 80
classes) with random weights, as speed does not depend on them: batch norms folded into the convolutions,
boxes decoded, doubles not yet suppressed. Its count of values is that of the published fused model:
2,616,248.
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
import onnx
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types
from onnx import TensorProto, helper, numpy_helper

from models.stress_scenes import zoomed
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

_CLASSES: Final = 80
_BOX_BINS: Final = 16
OPSET: Final = 18
_IR: Final = 10
SEED: Final = 11


class Net:
    """Adds layers to a graph; a tensor is its name, `channels` and `size` tell its shape."""

    def __init__(self, width: int, height: int) -> None:
        """An input of 1 x 3 x height x width."""
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.channels = {"images": 3}
        self.size = {"images": (height, width)}
        self.values = 0
        self.multiplications = 0
        self._rng = np.random.default_rng(SEED)

    def op(self, kind: str, inputs: list[str], channels: int, scale: float = 1, **attributes: object) -> str:
        """Any layer; the size of the first input times `scale`."""
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        self.channels[name] = channels
        height, width = self.size[inputs[0]]
        self.size[name] = (round(height * scale), round(width * scale))
        return name

    def constant(self, value: np.ndarray) -> str:
        """A tensor of fixed values."""
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def plain(self, x: str, out: int, kernel: int, stride: int = 1, groups: int = 1) -> str:
        """A convolution with its bias."""
        inside = self.channels[x] // groups
        shape = (out, inside, kernel, kernel)
        weight = self._rng.normal(0, (inside * kernel * kernel) ** -0.5, shape).astype(np.float32)
        names = [x, self.constant(weight), self.constant(np.zeros(out, np.float32))]
        y = self.op(
            "Conv",
            names,
            out,
            1 / stride,
            strides=[stride, stride],
            pads=[kernel // 2] * 4,
            group=groups,
            kernel_shape=[kernel, kernel],
        )
        self.values += weight.size + out
        self.multiplications += weight.size * self.size[y][0] * self.size[y][1]
        return y

    def conv(self, x: str, out: int, kernel: int, stride: int = 1, groups: int = 1) -> str:
        """A convolution and SiLU."""
        y = self.plain(x, out, kernel, stride, groups)
        gate = self.op("Sigmoid", [y], out)
        return self.op("Mul", [y, gate], out)

    def cat(self, parts: list[str]) -> str:
        """Channels of several tensors side by side."""
        return self.op("Concat", parts, sum(self.channels[part] for part in parts), axis=1)

    def split(self, x: str, sizes: list[int], axis: int) -> list[str]:
        """Parts of a tensor along an axis; each counts as many channels as its size there."""
        names = [f"t{len(self.nodes)}_{part}" for part in range(len(sizes))]
        parts = self.constant(np.array(sizes, np.int64))
        self.nodes.append(helper.make_node("Split", [x, parts], names, axis=axis))
        for name, size in zip(names, sizes, strict=True):
            self.channels[name], self.size[name] = size, self.size[x]
        return names

    def halves(self, x: str) -> list[str]:
        """The two halves of the channels."""
        return self.split(x, [self.channels[x] // 2] * 2, 1)

    def bottleneck(self, x: str, out: int, share: float) -> str:
        """Two 3 x 3 convolutions beside a shortcut."""
        y = self.conv(self.conv(x, int(out * share), 3), out, 3)
        return self.op("Add", [x, y], out)

    def c3k(self, x: str, out: int) -> str:
        """Two bottlenecks beside a 1 x 1 path, all at half the width."""
        half = out // 2
        y = self.conv(x, half, 1)
        for _ in range(2):
            y = self.bottleneck(y, half, 1.0)
        return self.conv(self.cat([y, self.conv(x, half, 1)]), out, 1)

    def c3k2(self, x: str, out: int, deep: bool, share: float = 0.5) -> str:
        """Split, one block on the second half, all joined."""
        width = int(out * share)
        first, second = self.halves(self.conv(x, 2 * width, 1))
        third = self.c3k(second, width) if deep else self.bottleneck(second, width, 0.5)
        return self.conv(self.cat([first, second, third]), out, 1)

    def sppf(self, x: str) -> str:
        """Three poolings in a row, joined."""
        parts = [self.conv(x, self.channels[x] // 2, 1)]
        for _ in range(3):
            pooled = self.op(
                "MaxPool",
                [parts[-1]],
                self.channels[parts[0]],
                kernel_shape=[5, 5],
                pads=[2, 2, 2, 2],
                strides=[1, 1],
            )
            parts.append(pooled)
        return self.conv(self.cat(parts), self.channels[x], 1)

    def shaped(self, x: str, shape: list[int]) -> str:
        """The same values in another shape."""
        return self.op("Reshape", [x, self.constant(np.array(shape, np.int64))], self.channels[x])

    def attention(self, x: str) -> str:
        """Self-attention over all places, in heads of 64 channels with keys of 32."""
        channels, (height, width) = self.channels[x], self.size[x]
        heads, places = channels // 64, height * width
        packed = self.shaped(self.plain(x, 2 * channels, 1), [1, heads, 128, places])
        query, key, value = self.split(packed, [32, 32, 64], 2)
        turned = self.op("Transpose", [query], channels, perm=[0, 1, 3, 2])
        raw = self.op("MatMul", [turned, key], channels)
        scale = self.constant(np.array(32**-0.5, np.float32))
        weights = self.op("Softmax", [self.op("Mul", [raw, scale], channels)], channels, axis=-1)
        back = self.op("Transpose", [weights], channels, perm=[0, 1, 3, 2])
        seen = self.shaped(self.op("MatMul", [value, back], channels), [1, channels, height, width])
        flat = self.shaped(value, [1, channels, height, width])
        self.channels[flat] = channels
        place = self.plain(flat, channels, 3, groups=channels)
        self.multiplications += places * places * heads * (32 + 64)
        return self.plain(self.op("Add", [seen, place], channels), channels, 1)

    def c2psa(self, x: str) -> str:
        """Attention and a small feed-forward part on half of the channels."""
        channels = self.channels[x]
        first, second = self.halves(self.conv(x, channels, 1))
        second = self.op("Add", [second, self.attention(second)], channels // 2)
        forward = self.plain(self.conv(second, channels, 1), channels // 2, 1)
        second = self.op("Add", [second, forward], channels // 2)
        return self.conv(self.cat([first, second]), channels, 1)

    def up(self, x: str) -> str:
        """Twice the size, nearest."""
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        return self.op("Resize", [x, "", scales], self.channels[x], 2, mode="nearest")

    def boxes(self, x: str, width: int) -> str:
        """The box branch of one scale: 1 x 64 x places."""
        y = self.plain(self.conv(self.conv(x, width, 3), width, 3), 4 * _BOX_BINS, 1)
        return self.shaped(y, [1, 4 * _BOX_BINS, -1])

    def scores(self, x: str, width: int) -> str:
        """The class branch of one scale: 1 x 80 x places."""
        y = self.conv(self.conv(x, self.channels[x], 3, groups=self.channels[x]), width, 1)
        y = self.conv(self.conv(y, width, 3, groups=width), width, 1)
        return self.shaped(self.plain(y, _CLASSES, 1), [1, _CLASSES, -1])

    def detect(self, scales: list[str]) -> list[str]:
        """Boxes as distances to four sides, and class probabilities, of all places."""
        wide = max(16, self.channels[scales[0]] // 4, 4 * _BOX_BINS)
        classes = max(self.channels[scales[0]], min(_CLASSES, 100))
        boxes = self.op("Concat", [self.boxes(x, wide) for x in scales], 64, axis=2)
        scores = self.op("Concat", [self.scores(x, classes) for x in scales], _CLASSES, axis=2)
        bins = self.op("Softmax", [self.shaped(boxes, [1, 4, _BOX_BINS, -1])], 64, axis=2)
        steps = self.constant(np.arange(_BOX_BINS, dtype=np.float32).reshape(1, 1, _BOX_BINS, 1))
        self.values += _BOX_BINS
        axes = self.constant(np.array([2], np.int64))
        sides = self.op("ReduceSum", [self.op("Mul", [bins, steps], 64), axes], 4, keepdims=0)
        return [sides, self.op("Sigmoid", [scores], _CLASSES)]


def build(width: int, height: int) -> tuple[onnx.ModelProto, Net]:
    """The model for pictures of that size (multiples of 32), and the net with its counts."""
    net = Net(width, height)
    x = net.conv(net.conv("images", 16, 3, 2), 32, 3, 2)
    x = net.conv(net.c3k2(x, 64, False, 0.25), 64, 3, 2)
    fine = net.c3k2(x, 128, False, 0.25)
    middle = net.c3k2(net.conv(fine, 128, 3, 2), 128, True)
    x = net.c3k2(net.conv(middle, 256, 3, 2), 256, True)
    coarse = net.c2psa(net.sppf(x))
    middle = net.c3k2(net.cat([net.up(coarse), middle]), 128, False)
    fine = net.c3k2(net.cat([net.up(middle), fine]), 64, False)
    middle = net.c3k2(net.cat([net.conv(fine, 64, 3, 2), middle]), 128, False)
    coarse = net.c3k2(net.cat([net.conv(middle, 128, 3, 2), coarse]), 256, True)
    outputs = net.detect([fine, middle, coarse])
    picture = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, height, width])
    places = sum(net.size[scale][0] * net.size[scale][1] for scale in (fine, middle, coarse))
    results = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, rows, places])
        for name, rows in zip(outputs, (4, _CLASSES), strict=True)
    ]
    graph = helper.make_graph(net.nodes, "rival", [picture], results, net.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR)
    onnx.checker.check_model(model)
    return model, net


def write(path: Path, width: int, height: int) -> Net:
    """Writes the model; the counts say how large it is."""
    model, net = build(width, height)
    onnx.save(model, str(path))
    return net


_TIMING_SEED: Final = 25
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
    rng = np.random.default_rng((_TIMING_SEED, seed))
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
        mixed = np.random.default_rng((_TIMING_SEED, seed)).permutation(len(names))
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
    net = write(folder / "rival.onnx", width, height)
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
    inputs = {"images": np.random.default_rng(_TIMING_SEED).random((1, 3, height, width), np.float32)}
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
