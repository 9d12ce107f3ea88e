"""The trained networks behind onnxruntime; refuses a model that is not the one in its manifest."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types

from vision.classifier.whole_card import BODY_HEIGHT, BODY_WIDTH
from vision.geometry.arrays import Image, Points
from vision.inference.crop_sampling import (
    CROP_HEIGHT,
    CROP_WIDTH,
    GLANCE_HEIGHT,
    GLANCE_WIDTH,
    crop_matrices,
    cut_at,
    prepare,
)
from vision.inference.manifest import manifest_of, model_bytes
from vision.labels import RANKS, STATES, SUITS
from vision.proposal.heat_map import SurveyNetwork
from vision.proposal.index_pairs import Candidates

T = TypeVar("T")

BATCH_MOST: Final = 64
"""Crops in one call: what lies between two layers then stays in the processor's own cache."""

WORTH_SHARING: Final = 4
"""With so many crops for each thread, all threads work."""

FOLDED_CHANNELS: Final = 12
"""A network whose crops have so many channels takes them folded (`rectify.fold`)."""


class Scores(NamedTuple):
    """Probabilities of each crop: rank (n x 13), suit (n x 4), state (n x 6)."""

    rank: Points
    suit: Points
    state: Points

    def take(self, chosen: Points) -> "Scores":
        """The scores of an index array or mask."""
        return Scores(*(head[chosen] for head in self))


NO_SCORES: Final = Scores(*(np.empty((0, len(names))) for names in (RANKS, SUITS, STATES)))


def default_models_dir() -> Path:
    """The copy inside the installed package, else the one of the repository: a folder for each network."""
    packaged = Path(__file__).parent.parent / "model"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "models"


HEADS: Final = (len(RANKS), len(SUITS), len(STATES))
STARTS: Final = (0, HEADS[0], HEADS[0] + HEADS[1])


def probabilities(heads: Sequence[Points], temperature: float) -> Scores:
    """Softmax of the logits of rank, suit and state (n x 13, 4, 6), all heads at once."""
    logits = np.concatenate(heads, 1, dtype=np.float64) / temperature
    power = np.exp(logits - logits.max(1, keepdims=True))
    power /= np.repeat(np.add.reduceat(power, STARTS, 1), HEADS, 1)
    return Scores(*(power[:, start : start + count] for start, count in zip(STARTS, HEADS, strict=True)))


class Workers:
    """Shares work among threads; only for work that lets go of Python as a whole."""

    def __init__(self, threads: int) -> None:
        """One thread works by itself; of more, the caller's is one."""
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads - 1, thread_name_prefix="reader") if threads > 1 else None

    def each(self, work: Callable[[slice], T], count: int, most: int) -> list[T]:
        """The results of `work` for slices of at most `most` of `count` items, in order."""
        batches = self._batches(count, most)
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
        """Begins with work that another thread may do meanwhile; what is given back waits for its result."""
        if self._pool is None:
            return work
        begun = self._pool.submit(work)
        return lambda: work() if begun.cancel() else begun.result()

    def _batches(self, count: int, most: int) -> list[slice]:
        """Batches of about the same size, as many for each thread; few items stay together."""
        number = -(-count // most)
        if count >= self._threads * WORTH_SHARING:
            number = -(-number // self._threads) * self._threads
        ends = [count * step // max(number, 1) for step in range(number + 1)]
        return [slice(start, end) for start, end in pairwise(ends)]


class Look(NamedTuple):
    """What crops show: share of paper and tints of the ink (`rectify.Prepared`), and the outputs' logits."""

    paper: Points
    tints: Points
    heads: list[Points]


class CropNetwork:
    """One network and its manifest. One instance may be used by one thread at a time."""

    size: tuple[int, int]
    """Height and width of its crops."""

    tinted: bool = False
    """Whether the ink's tints are wanted."""

    def __init__(
        self, session: onnxruntime.InferenceSession, manifest: dict[str, Any], workers: Workers
    ) -> None:
        """Use `open`."""
        self._session = session
        self._workers = workers
        self._folded = session.get_inputs()[0].shape[-1] == FOLDED_CHANNELS
        self._temperature = float(manifest.get("temperature", 1.0))
        self._figures: dict[str, float] = manifest.get("metrics", {})

    @classmethod
    def open(cls, folder: Path, workers: Workers) -> Self:
        """Loads the model of a folder.

        Raises ConfigError MODEL_MISSING or MODEL_CHANGED (file, hash, labels or input size differ).
        """
        manifest = manifest_of(folder)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        labels = {"ranks": list(RANKS), "suits": list(SUITS), "states": list(STATES)}
        data = model_bytes(folder, manifest, {**labels, "input": list(cls.size)})
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        return cls(session, manifest, workers)

    def run(self, crops: Image) -> Look:
        """What n > 0 crops of this network's size show."""
        return self._shared(lambda batch: self._look(crops[batch]), len(crops))

    def run_places(self, image: Image, places: Candidates) -> Look:
        """What n > 0 places of a picture show."""
        matrices = crop_matrices(places, *self.size)
        return self._shared(
            lambda batch: self._look(cut_at(image, matrices[batch], *self.size)), len(matrices)
        )

    def _shared(self, look: Callable[[slice], Look], count: int) -> Look:
        looks = self._workers.each(look, count, BATCH_MOST)
        if len(looks) == 1:
            return looks[0]
        paper, tints, heads = zip(*looks, strict=True)
        joined = [np.concatenate(head) for head in zip(*heads, strict=True)]
        return Look(np.concatenate(paper), np.concatenate(tints), joined)

    def _look(self, crops: Image) -> Look:
        tones, paper, tints = prepare(crops, folded=self._folded, tinted=self.tinted)
        return Look(paper, tints, self._session.run(None, {"crops": tones}))


class IndexNetwork(CropNetwork):
    """Reads upright index crops."""

    size = (CROP_HEIGHT, CROP_WIDTH)
    tinted = True

    def classify(self, crops: Image) -> Scores:
        """Scores of n crops."""
        return self._scores(self.run(crops)) if len(crops) else NO_SCORES

    def classify_places(self, image: Image, places: Candidates) -> tuple[Points, Scores]:
        """Tints of the ink (n x 2 x 3, `rectify.Prepared`) and scores of n places of a picture."""
        if not len(places.heights):
            return np.empty((0, 2, 3), np.float32), NO_SCORES
        look = self.run_places(image, places)
        return look.tints, self._scores(look)

    def _scores(self, look: Look) -> Scores:
        return probabilities(look.heads, self._temperature)


class BodyNetwork(IndexNetwork):
    """Reads whole cards whose corners are blanked (`whole_card`); state index means: lies open."""

    size = (BODY_HEIGHT, BODY_WIDTH)
    tinted = False


class GlanceNetwork(CropNetwork):
    """Tells which small crops deserve the index network's look."""

    size = (GLANCE_HEIGHT, GLANCE_WIDTH)

    def worth(self, image: Image, places: Candidates) -> tuple[Points, Points]:
        """Share of paper around n places of a picture, and the probability that an index is there."""
        if not len(places.heights):
            return np.empty(0), np.empty(0)
        look = self.run_places(image, places)
        return look.paper, np.asarray(1 / (1 + np.exp(-look.heads[0][:, 0])))

    @property
    def threshold(self) -> float:
        """Below it a place holds nothing: measured on drawn crops, stored in the manifest."""
        return self._figures["threshold"]


class Networks(NamedTuple):
    """All that the reader needs. May be used by one thread at a time."""

    workers: Workers
    glances: GlanceNetwork
    indices: IndexNetwork
    bodies: BodyNetwork
    surveys: SurveyNetwork

    @classmethod
    def open(cls, folder: Path, threads: int) -> "Networks":
        """Loads the networks of a folder that has one folder for each; see `CropNetwork.open`."""
        workers = Workers(threads)
        return cls(
            workers,
            GlanceNetwork.open(folder / "glance", workers),
            IndexNetwork.open(folder / "index", workers),
            BodyNetwork.open(folder / "body", workers),
            SurveyNetwork.open(folder / "survey"),
        )
