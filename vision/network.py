"""The trained index network behind onnxruntime; refuses a model that is not the one in its manifest."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types

from controller.domain.errors import ConfigError
from vision.arrays import Image, Points
from vision.labels import RANKS, STATES, SUITS
from vision.rectify import CROP_HEIGHT, CROP_WIDTH, white_levels, whiten

BATCH_MAX: Final = 128
"""Crops in one call: bounds the memory of a picture full of ink."""


class Scores(NamedTuple):
    """Probabilities of each crop: rank (n x 13), suit (n x 4), state (n x 6)."""

    rank: Points
    suit: Points
    state: Points


def default_models_dir() -> Path:
    """The copy inside the installed package, else the one of the repository."""
    packaged = Path(__file__).with_name("model")
    return packaged if packaged.is_dir() else Path(__file__).parent.parent / "models" / "index"


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


def _checked_bytes(folder: Path, manifest: dict[str, Any]) -> bytes:
    path = folder / str(manifest.get("file", "model.onnx"))
    if not path.is_file():
        raise ConfigError("MODEL_MISSING", path=str(path))
    data = path.read_bytes()
    same_labels = [manifest.get(key) for key in ("ranks", "suits", "states")] == [
        list(RANKS),
        list(SUITS),
        list(STATES),
    ]
    fits = same_labels and manifest.get("input") == [CROP_HEIGHT, CROP_WIDTH]
    if hashlib.sha256(data).hexdigest() != manifest.get("sha256") or not fits:
        raise ConfigError("MODEL_CHANGED", path=str(path))
    return data


class IndexNetwork:
    """Classifies crops. One instance may be used by one thread at a time."""

    def __init__(self, session: onnxruntime.InferenceSession, temperature: float) -> None:
        """Use `open`; `temperature` divides the logits."""
        self._session = session
        self._temperature = temperature

    @classmethod
    def open(cls, folder: Path, threads: int) -> "IndexNetwork":
        """Loads the model of a folder.

        Raises ConfigError MODEL_MISSING or MODEL_CHANGED (file, hash, labels or input size differ).
        """
        manifest = _manifest(folder)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        data = _checked_bytes(folder, manifest)
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        return cls(session, float(manifest.get("temperature", 1.0)))

    def classify(self, crops: Image) -> Scores:
        """Scores of n crops as cut by `vision.rectify`."""
        parts = []
        for start in range(0, len(crops), BATCH_MAX):
            batch = crops[start : start + BATCH_MAX]
            logits = self._session.run(None, {"crops": whiten(batch, white_levels(batch))})
            parts.append([_softmax(np.asarray(head), self._temperature) for head in logits])
        if not parts:
            return Scores(*(np.empty((0, len(names))) for names in (RANKS, SUITS, STATES)))
        return Scores(*(np.concatenate([part[slot] for part in parts]) for slot in range(3)))
