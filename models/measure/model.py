"""The identity of the measured model and data."""

import hashlib
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from vision.inference import default_models_dir


def conditions() -> dict[str, Any]:
    """Model, versions, processor; `load` is the machine's load average over the last minute."""
    files = {path.parent.name: path.read_bytes() for path in _model_files(default_models_dir())}
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


def _model_files(folder: Path) -> list[Path]:
    """Return the networks in use, each in a folder of its own."""
    return sorted(path for path in folder.glob("*/model.onnx"))
