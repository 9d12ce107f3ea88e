"""Load model folders: a manifest, and a network file whose hash must match it."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

from controller.domain import ConfigError


def default_models_dir() -> Path:
    """The models of the installed package, else those of the repository: a folder for each network."""
    package = Path(__file__).parents[1]
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
