"""The trained networks behind onnxruntime; refuses a model that is not the one in its manifest."""

import hashlib
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types

from controller.domain.errors import ConfigError
from vision.arrays import Image, Points
from vision.bodies import BODY_HEIGHT, BODY_WIDTH
from vision.labels import RANKS, STATES, SUITS
from vision.locate import Candidates
from vision.rectify import (
    CROP_HEIGHT,
    CROP_WIDTH,
    GLANCE_HEIGHT,
    GLANCE_WIDTH,
    cut_crops,
    even_light,
    white_levels,
)

T = TypeVar("T")

BATCH_MAX: Final = 16
"""Crops in one call: what lies between two layers then stays in the processor's cache."""


class Scores(NamedTuple):
    """Probabilities of each crop: rank (n x 13), suit (n x 4), state (n x 6)."""

    rank: Points
    suit: Points
    state: Points


def default_models_dir() -> Path:
    """The copy inside the installed package, else the one of the repository: a folder for each network."""
    packaged = Path(__file__).with_name("model")
    return packaged if packaged.is_dir() else Path(__file__).parent.parent / "models"


def _softmax(logits: Points, temperature: float) -> Points:
    scaled = logits / temperature
    power = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(power / power.sum(axis=1, keepdims=True))


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.toml"
    if not path.is_file():
        raise ConfigError("MODEL_MISSING", path=str(path))
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError("MODEL_CHANGED", path=str(path)) from error


def _checked_bytes(folder: Path, manifest: dict[str, Any], size: tuple[int, int]) -> bytes:
    path = folder / str(manifest.get("file", "model.onnx"))
    if not path.is_file():
        raise ConfigError("MODEL_MISSING", path=str(path))
    data = path.read_bytes()
    labels = [list(RANKS), list(SUITS), list(STATES)]
    same_labels = [manifest.get(key) for key in ("ranks", "suits", "states")] == labels
    fits = same_labels and manifest.get("input") == list(size)
    if hashlib.sha256(data).hexdigest() != manifest.get("sha256") or not fits:
        raise ConfigError("MODEL_CHANGED", path=str(path))
    return data


class Workers:
    """Shares batches among threads; only for work that lets go of Python as a whole."""

    def __init__(self, threads: int) -> None:
        """One thread works by itself."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="reader") if threads > 1 else None

    def each(self, work: Callable[[slice], T], count: int) -> list[T]:
        """The results of `work` for slices of BATCH_MAX of `count` items, in order."""
        batches = [slice(start, start + BATCH_MAX) for start in range(0, count, BATCH_MAX)]
        if self._pool is None or len(batches) < 2:
            return [work(batch) for batch in batches]
        return list(self._pool.map(work, batches))


class CropNetwork:
    """One network and its manifest. One instance may be used by one thread at a time."""

    size: tuple[int, int]
    """Height and width of its crops."""

    def __init__(
        self, session: onnxruntime.InferenceSession, manifest: dict[str, Any], workers: Workers
    ) -> None:
        """Use `open`."""
        self._session = session
        self._workers = workers
        self._temperature = float(manifest.get("temperature", 1.0))
        self._figures: dict[str, float] = manifest.get("metrics", {})

    @classmethod
    def open(cls, folder: Path, workers: Workers) -> Self:
        """Loads the model of a folder.

        Raises ConfigError MODEL_MISSING or MODEL_CHANGED (file, hash, labels or input size differ).
        """
        manifest = _manifest(folder)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        data = _checked_bytes(folder, manifest, cls.size)
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        return cls(session, manifest, workers)

    def run(self, crops: Image) -> list[Points]:
        """The outputs' logits for n > 0 crops of this network's size, uint8."""
        evened = even_light(crops, white_levels(crops))
        parts: list[list[Points]] = self._workers.each(
            lambda batch: self._session.run(None, {"crops": evened[batch]}), len(evened)
        )
        return [np.concatenate(heads) for heads in zip(*parts, strict=True)]

    def run_places(self, image: Image, places: Candidates) -> tuple[Image, list[Points]]:
        """Crops of n > 0 places of a picture, and the outputs' logits for them."""
        crops = cut_crops(image, places, *self.size)
        return crops, self.run(crops)


class IndexNetwork(CropNetwork):
    """Reads upright index crops."""

    size = (CROP_HEIGHT, CROP_WIDTH)

    def classify(self, crops: Image) -> Scores:
        """Scores of n crops."""
        if not len(crops):
            return Scores(*(np.empty((0, len(names))) for names in (RANKS, SUITS, STATES)))
        return self._scores(self.run(crops))

    def classify_places(self, image: Image, places: Candidates) -> tuple[Image, Scores]:
        """Crops and scores of n places of a picture."""
        if not len(places.heights):
            return np.empty((0, *self.size, 3), np.uint8), self.classify(np.empty(0))
        crops, heads = self.run_places(image, places)
        return crops, self._scores(heads)

    def _scores(self, heads: list[Points]) -> Scores:
        return Scores(*(_softmax(head, self._temperature) for head in heads))


class BodyNetwork(IndexNetwork):
    """Reads whole cards whose corners are blanked (`vision.bodies`); state index means: lies open."""

    size = (BODY_HEIGHT, BODY_WIDTH)


class GlanceNetwork(CropNetwork):
    """Tells which small crops deserve the index network's look."""

    size = (GLANCE_HEIGHT, GLANCE_WIDTH)

    def worth(self, image: Image, places: Candidates) -> tuple[Image, Points]:
        """Small crops of n places of a picture, and the probability that an index is there."""
        if not len(places.heights):
            return np.empty((0, *self.size, 3), np.uint8), np.empty(0)
        crops, heads = self.run_places(image, places)
        return crops, np.asarray(1 / (1 + np.exp(-heads[0][:, 0])))

    @property
    def threshold(self) -> float:
        """Below it a place holds nothing: measured on drawn crops, stored in the manifest."""
        return self._figures["threshold"]


class Networks(NamedTuple):
    """All that the reader needs. May be used by one thread at a time."""

    glances: GlanceNetwork
    indices: IndexNetwork
    bodies: BodyNetwork

    @classmethod
    def open(cls, folder: Path, threads: int) -> "Networks":
        """Loads the networks of a folder that has one folder for each; see `CropNetwork.open`."""
        workers = Workers(threads)
        return cls(
            GlanceNetwork.open(folder / "glance", workers),
            IndexNetwork.open(folder / "index", workers),
            BodyNetwork.open(folder / "body", workers),
        )
