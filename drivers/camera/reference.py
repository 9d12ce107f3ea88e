"""The picture that was taken when a camera was put in place."""

from pathlib import Path

import cv2
import numpy as np

from controller.domain import ConfigError
from drivers.camera.config import Image


def open_reference(path: Path) -> Image:
    """Read a picture file; raises `ConfigError` REFERENCE_UNREADABLE."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR) if path.is_file() else None
    if image is None:
        raise ConfigError("REFERENCE_UNREADABLE", path=str(path))
    return image.astype(np.uint8, copy=False)
