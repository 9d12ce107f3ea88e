"""A network that looks at crops: its session, its manifest, and batches of crops through it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types

from vision.geometry import Image, IndexPoses, Points
from vision.inference.crop_sampling import CropSize, crop_matrices, crops_by_matrix
from vision.inference.illumination import prepare_crops
from vision.inference.manifest import read_manifest, verified_model
from vision.inference.workers import Workers
from vision.labels import RANKS, STATES, SUITS
from vision.native import compiled_library

_BATCH_MAX: Final = 64
"""Crops in one call: what lies between two layers then stays in the processor's own cache.

Source: docs/decisions/0013, "Looked at and left".
"""

DEPTH_CHANNELS: Final = 12
"""A network whose input has so many channels takes its crops by `space_to_depth`: 2 x 2 pixels of three
colours."""


class CropOutputs(NamedTuple):
    """A network's results for n crops: `PreparedCrops.paper`, and the logits of each output."""

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
        self._temperature = float(manifest.get("temperature", 1.0))
        self.sha256 = str(manifest.get("sha256", ""))
        self._figures: dict[str, float] = manifest.get("metrics", {})

    @property
    def temperature(self) -> float:
        """Return the divisor of its logits."""
        return self._temperature

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
        parts = self._workers.each(work, count, _BATCH_MAX)
        if len(parts) == 1:
            return parts[0]
        paper, heads = zip(*parts, strict=True)
        joined = [np.concatenate(head) for head in zip(*heads, strict=True)]
        return CropOutputs(np.concatenate(paper), joined)

    def _outputs(self, crops: Image) -> CropOutputs:
        tones, paper = prepare_crops(crops, to_depth=self._to_depth)
        return CropOutputs(paper, self._session.run(None, {"crops": tones}))
