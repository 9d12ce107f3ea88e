"""Which model was measured, on what, and that another one is refused."""

import hashlib
import os
import platform
import shutil
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from controller.domain.errors import ConfigError
from vision.inference import default_models_dir
from vision.reader import CardReader


def conditions() -> dict[str, Any]:
    """Model, versions, processor; `load` is the machine's load average over the last minute."""
    files = {path.parent.name: path.read_bytes() for path in model_files(default_models_dir())}
    return {
        "models": {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            for name, data in files.items()
        },
        "python": platform.python_version(),
        "onnxruntime": version("onnxruntime"),
        "opencv": version("opencv-python-headless"),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def model_files(folder: Path) -> list[Path]:
    """The networks in use, each in a folder of its own."""
    return sorted(path for path in folder.glob("*/model.onnx"))


def measure() -> dict[str, Any]:
    """The error code for each model file with one byte changed, None where it was not refused."""
    names = [path.parent.name for path in model_files(default_models_dir())]
    return {"changed_file": {name: _refusal(name) for name in names}}


def _refusal(name: str) -> str | None:
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for path in model_files(default_models_dir()):
            shutil.copytree(path.parent, folder / path.parent.name)
        path = folder / name / "model.onnx"
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        try:
            CardReader.open(folder)
        except ConfigError as error:
            return error.code
    return None
