"""Which model was measured, on what, and that another one is refused."""

import hashlib
import os
import platform
import shutil
import tomllib
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from controller.domain.errors import ConfigError
from vision.network import default_models_dir
from vision.reader import CardReader


def conditions() -> dict[str, Any]:
    """Model, versions, processor; `load` is the machine's load average over the last minute."""
    data = (default_models_dir() / "model.onnx").read_bytes()
    return {
        "model_sha256": hashlib.sha256(data).hexdigest(),
        "model_bytes": len(data),
        "python": platform.python_version(),
        "onnxruntime": version("onnxruntime"),
        "opencv": version("opencv-python-headless"),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def measure() -> dict[str, Any]:
    """The error code for each model file with one byte changed, None where it was not refused."""
    return {"changed_file": {name: _refusal(name) for name in _files()}}


def _files() -> list[str]:
    manifest = tomllib.loads((default_models_dir() / "manifest.toml").read_text(encoding="utf-8"))
    return sorted(path.name for path in default_models_dir().glob("*.onnx")) or [str(manifest["file"])]


def _refusal(name: str) -> str | None:
    with TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(default_models_dir(), Path(folder) / "index"))
        data = bytearray((copy / name).read_bytes())
        data[len(data) // 2] ^= 1
        (copy / name).write_bytes(data)
        try:
            CardReader.open(copy)
        except ConfigError as error:
            return error.code
    return None
