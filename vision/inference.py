"""Crops through networks: model files, threads, crops of a picture and their light, sessions."""

import hashlib
import tomllib
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types

from controller.domain import ConfigError
from vision.geometry import Image, IndexPoses, Points
from vision.native import EvenRule, compiled_library, crops_at, evened_crops
from vision.reading import RANKS, STATES, SUITS


def default_models_dir() -> Path:
    """The models of the installed package, else those of the repository: a folder for each network."""
    package = Path(__file__).parent
    packaged = package / "model"
    return packaged if packaged.is_dir() else package.parent / "models"


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a network's folder.

    Raises ConfigError MODEL_MISSING, or MODEL_CHANGED when it is not TOML.
    """
    path = folder / "manifest.toml"
    if not path.is_file():
        raise ConfigError("MODEL_MISSING", path=str(path))
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError("MODEL_CHANGED", path=str(path)) from error


def verified_model(folder: Path, manifest: dict[str, Any], expected: dict[str, Any]) -> bytes:
    """The bytes of a network's file, once they are known to be the right ones.

    Raises ConfigError MODEL_MISSING, or MODEL_CHANGED when their SHA-256 is not the manifest's or when the
    manifest says anything else than `expected` about inputs and outputs.
    """
    path = folder / str(manifest.get("file", "model.onnx"))
    if not path.is_file():
        raise ConfigError("MODEL_MISSING", path=str(path))
    data = path.read_bytes()
    fits = all(manifest.get(key) == value for key, value in expected.items())
    if hashlib.sha256(data).hexdigest() != manifest.get("sha256") or not fits:
        raise ConfigError("MODEL_CHANGED", path=str(path))
    return data


def require_arithmetic(name: str, session: onnxruntime.InferenceSession, model: bytes) -> None:
    """Raise `ConfigError` MODEL_COMPUTED_OTHERWISE where `session` answers otherwise than `model` says."""
    # The largest difference between `session` and a step-by-step float evaluation of `model`. The
    # input is the same noise each time, with the largest possible sums: half of it is nearly white.
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    written = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    reported = written.get_inputs()[0]
    batch, *sides = reported.shape
    whole = [1 if not isinstance(batch, int) else batch]
    # 32: of an input whose size the network leaves open.
    whole += [side if isinstance(side, int) else 32 for side in sides]
    drawn = np.random.default_rng(17).random(whole)
    given = {reported.name: ((drawn > 0.5) * 204 + drawn * 51).astype(np.uint8)}
    off = max(_apart(*pair) for pair in zip(session.run(None, given), written.run(None, given), strict=True))
    # 0.3: how far outputs of the shipped networks may lie apart, in logits. Source: this difference
    # of the shipped networks on a processor with AVX2 alone: 0.0 where sums of eight-bit products are kept
    # whole (0.09 with other inputs), 0.8 to 1.5 where they are clipped.
    if off > 0.3:
        raise ConfigError("MODEL_COMPUTED_OTHERWISE", network=name, off=f"{off:.1f}")


def _apart(one: Points, other: Points) -> float:
    return float(np.abs(one - other).max())


T = TypeVar("T")


class Workers:
    """A few threads for work that releases Python's lock: C functions, network sessions.

    Work that holds the lock gains nothing: the threads then wait for each other.
    """

    def __init__(self, threads: int) -> None:
        """`threads` is 1 or more and counts the caller's own."""
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads - 1, thread_name_prefix="reader") if threads > 1 else None

    def each(self, work: Callable[[slice], T], count: int, batch_max: int) -> list[T]:
        """The results of `work` for slices of `count` items, in order; a slice has at most `batch_max`."""
        batches = self._batches(count, batch_max)
        if self._pool is None or len(batches) < 2:
            return [work(batch) for batch in batches]
        todo, done = deque(enumerate(batches)), dict[int, T]()

        def take_turns() -> None:
            while todo:
                try:
                    number, batch = todo.popleft()
                except IndexError:
                    return
                done[number] = work(batch)

        helpers = [self._pool.submit(take_turns) for _ in range(self._threads - 1)]
        take_turns()
        for helper in helpers:
            if not helper.cancel():
                helper.result()
        return [done[number] for number in range(len(batches))]

    def aside(self, work: Callable[[], T]) -> Callable[[], T]:
        """Begins with work on another thread; the function that is returned waits for its result.

        Work that has not begun by then is done by the thread that asks.
        """
        if self._pool is None:
            return work
        begun = self._pool.submit(work)
        return lambda: work() if begun.cancel() else begun.result()

    def _batches(self, count: int, batch_max: int) -> list[slice]:
        """About as many items in each, and as many batches for each thread."""
        number = -(-count // batch_max)
        # 4: with so many items for each thread, all threads get a share; fewer stay with the caller.
        # Source: no measurement on record; `stand17 bench reader --only time` shows its effect.
        if count >= self._threads * 4:
            number = -(-number // self._threads) * self._threads
        ends = [count * step // max(number, 1) for step in range(number + 1)]
        return [slice(start, end) for start, end in pairwise(ends)]


INDEX_SHARE: Final = 0.68
"""An index, from the rank's top to the pip's foot, fills this share of its crop's height.

Source: the shipped networks were trained on such crops; the rest is room for poses that are a little off.
"""


class CropSize(NamedTuple):
    """Size of a network's crops in pixels."""

    height_px: int
    width_px: int


def crop_matrices(poses: IndexPoses, size: CropSize) -> Points:
    """N x 2 x 3 matrices from pixels of a crop of that size to pixels of the picture."""
    scale = poses.index_px / (INDEX_SHARE * size.height_px)
    linear = np.stack([poses.rights, poses.downs], 2) * scale[:, None, None]
    middle = np.array([(size.width_px - 1) / 2, (size.height_px - 1) / 2])
    return np.concatenate([linear, (poses.centres - linear @ middle)[:, :, None]], 2)


def crops_by_matrix(image: Image, matrices: Points, size: CropSize) -> Image:
    """Crops of a BGR picture, n x height x width x 3, uint8.

    `matrices` are those of `crop_matrices`, or n x 3 x 3 in perspective. Outside the picture its border
    repeats.
    """
    return crops_at(image, matrices, *size)


def cut_crops(image: Image, poses: IndexPoses, size: CropSize) -> Image:
    """Return one upright crop for each pose, n x height x width x 3, uint8; border pixels repeat."""
    return crops_by_matrix(image, crop_matrices(poses, size), size)


PAPER_TONE: Final = 170
"""Tone of paper in a normalised crop; 255 is one and a half times as bright.

Source: the shipped networks were trained on it.
"""


_WHITE_FLOOR: Final = 24.0
"""Grey levels that paper has at least: a black crop must not be made bright.

Source: no measurement on record; the shipped networks were trained with these values.
"""

_WHITE_STEP: Final = 4
"""Every so many pixels one is looked at, in rows and columns. Source: as above."""


def _white_slot(height_px: int, width_px: int) -> int:
    """Number of sampled pixels in a crop that are darker than its paper."""
    # Parameters for the brightness of a crop's paper, for each colour channel. Source: no measurement on
    # record; the shipped networks were trained with these values.
    # 88: share of a crop's pixels, in percent, that are darker than its paper.
    return int(-(-height_px // _WHITE_STEP) * -(-width_px // _WHITE_STEP) * 88 / 100)


def white_levels(crops: Image) -> Points:
    """Brightness of the paper in each of n crops and each channel, n x 3, float32."""
    coarse = crops[:, ::_WHITE_STEP, ::_WHITE_STEP]
    pixels = coarse.shape[1] * coarse.shape[2]
    sample = np.ascontiguousarray(coarse.reshape(len(crops), pixels, 3).transpose(0, 2, 1))
    slot = _white_slot(*crops.shape[1:3])
    sample.partition(slot, axis=2)
    return np.maximum(sample[:, :, slot].astype(np.float32), _WHITE_FLOOR)


def normalise_illumination(crops: Image, white: Points) -> Image:
    """The crops with their paper at PAPER_TONE in each channel; `white` as of `white_levels`."""
    normalised = np.empty_like(crops)
    for crop, out, scale in zip(crops, normalised, (PAPER_TONE / white).tolist(), strict=True):
        cv2.multiply(crop, (*scale, 0.0), dst=out)  # type: ignore[call-overload]  # stubs: no scalars
    return normalised


def space_to_depth(crops: Image) -> Image:
    """Return crops with each 2 x 2 pixels as channels: n x height / 2 x width / 2 x 12.

    A network whose first layer would skip every second pixel takes a third less time (docs/decisions/0013).
    """
    count, height, width, channels = crops.shape
    cells = crops.reshape(count, height // 2, 2, width // 2, 2, channels).transpose(0, 1, 3, 2, 4, 5)
    return cells.reshape(count, height // 2, width // 2, 4 * channels)


@cache
def _rule(height_px: int, width_px: int) -> EvenRule:
    """The same rules for the compiled functions, in pixels of such a crop."""
    # 0.7: A pixel counts as paper from this share of the paper's brightness on, in all channels.
    return EvenRule(
        darker=_white_slot(height_px, width_px),
        floor=_WHITE_FLOOR,
        tone=PAPER_TONE,
        bright=0.7,
    )


def prepare_crops(crops: Image, *, to_depth: bool) -> tuple[Image, Points]:
    """N > 0 crops as network input (uint8), and the share of each that is about as bright as its paper, 0..1.

    `to_depth`: the network takes each 2 x 2 pixels as twelve channels (`space_to_depth`).
    """
    return evened_crops(crops, _rule(*crops.shape[1:3]), folded=to_depth)


DEPTH_CHANNELS: Final = 12
"""A network whose input has so many channels takes its crops by `space_to_depth`: 2 x 2 pixels of three
colours."""


class CropOutputs(NamedTuple):
    """A network's results for n crops: their shares of paper, and the logits of each output."""

    paper: Points
    heads: list[Points]


def open_session(model: bytes) -> onnxruntime.InferenceSession:
    """A session of one thread: `Workers` shares the work, and onnxruntime's own threads would wait busily.

    It computes the same on every processor. The networks' weights have eight bits; a processor without VNNI
    adds two products of such in sixteen, which clips: logits came out wrong by up to 3.3 of 5.6.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Of no effect where nothing clips; elsewhere 1.4 to 1.9 times the time (AMD EPYC with AVX2, one thread).
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class CropNetwork:
    """One network and its manifest. One instance may be used by one thread at a time."""

    size: CropSize
    """Of its crops."""

    def __init__(
        self, session: onnxruntime.InferenceSession, manifest: dict[str, Any], workers: Workers
    ) -> None:
        """Use `open`."""
        self._session = session
        self._workers = workers
        self._to_depth = session.get_inputs()[0].shape[-1] == DEPTH_CHANNELS
        self.temperature = float(manifest.get("temperature", 1.0))
        self.sha256 = str(manifest.get("sha256", ""))
        self._figures: dict[str, float] = manifest.get("metrics", {})

    @classmethod
    def open(cls, folder: Path, workers: Workers) -> Self:
        """Loads the network of a folder.

        Raises ConfigError MODEL_MISSING or MODEL_CHANGED (file, hash, labels or input size differ), and
        READER_NOT_COMPILED where the functions that make its crops are not there.
        """
        compiled_library()
        manifest = read_manifest(folder)
        labels = {"ranks": list(RANKS), "suits": list(SUITS), "states": list(STATES)}
        data = verified_model(folder, manifest, {**labels, "input": list(cls.size)})
        return cls(open_session(data), manifest, workers)

    def run(self, crops: Image) -> CropOutputs:
        """Outputs for n > 0 crops of this network's size, n x height x width x 3, uint8."""
        return self._in_batches(lambda batch: self._outputs(crops[batch]), len(crops))

    def run_poses(self, image: Image, poses: IndexPoses) -> CropOutputs:
        """Outputs for n > 0 poses in a BGR picture."""
        matrices = crop_matrices(poses, self.size)
        return self._in_batches(
            lambda batch: self._outputs(crops_by_matrix(image, matrices[batch], self.size)), len(matrices)
        )

    def _in_batches(self, work: Callable[[slice], CropOutputs], count: int) -> CropOutputs:
        # 64: crops in one call: what lies between two layers then stays in the processor's own cache.
        # Source: docs/decisions/0013, "Looked at and left".
        parts = self._workers.each(work, count, 64)
        if len(parts) == 1:
            return parts[0]
        paper, heads = zip(*parts, strict=True)
        joined = [np.concatenate(head) for head in zip(*heads, strict=True)]
        return CropOutputs(np.concatenate(paper), joined)

    def _outputs(self, crops: Image) -> CropOutputs:
        tones, paper = prepare_crops(crops, to_depth=self._to_depth)
        return CropOutputs(paper, self._session.run(None, {"crops": tones}))
