"""The reader's heat map of pictures that are shown."""

from pathlib import Path
from threading import Lock

from controller.runtime.contradictions import CameraSight
from vision.heat_map import HeatMapNetwork, heat_picture
from vision.inference import default_models_dir


class HeatPictures:
    """Makes heat maps with the shipped network; from any thread, one at a time."""

    def __init__(self, models: Path | None = None) -> None:
        """The network is loaded with the first map, from `models` (None: the shipped folder)."""
        self._models = models
        self._network: HeatMapNetwork | None = None
        self._alone = Lock()

    def of(self, sight: CameraSight) -> bytes:
        """PNG of the heat over a shown picture. Raises `ConfigError` where the network is missing."""
        with self._alone:
            folder = (self._models or default_models_dir()) / "survey"
            self._network = self._network or HeatMapNetwork.open(folder)
            return heat_picture(self._network, sight.jpeg, sight.width, sight.height)
