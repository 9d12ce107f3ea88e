"""Model folders: a manifest and a file that must be the one it names."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

from controller.domain.errors import ConfigError


def manifest_of(folder: Path) -> dict[str, Any]:
    """The manifest of a model's folder; ConfigError MODEL_MISSING or MODEL_CHANGED (no TOML)."""
    path = folder / "manifest.toml"
    if not path.is_file():
        raise ConfigError("MODEL_MISSING", path=str(path))
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError("MODEL_CHANGED", path=str(path)) from error


def model_bytes(folder: Path, manifest: dict[str, Any], expected: dict[str, Any]) -> bytes:
    """The model's file.

    Raises ConfigError MODEL_MISSING, or MODEL_CHANGED when its hash is not the manifest's or the manifest
    says anything else than `expected` about its inputs and outputs.
    """
    path = folder / str(manifest.get("file", "model.onnx"))
    if not path.is_file():
        raise ConfigError("MODEL_MISSING", path=str(path))
    data = path.read_bytes()
    fits = all(manifest.get(key) == value for key, value in expected.items())
    if hashlib.sha256(data).hexdigest() != manifest.get("sha256") or not fits:
        raise ConfigError("MODEL_CHANGED", path=str(path))
    return data
