"""The network behind the heat map."""

from pathlib import Path

import onnxruntime  # type: ignore[import-untyped]  # the package ships no types

from vision.geometry import Image
from vision.inference import open_session, read_manifest, verified_model
from vision.proposal.heat_map import CELL_KINDS, PATCH_DEPTH, HeatMap, decode_heat_map
from vision.proposal.heat_map_input import heat_map_input


class HeatMapNetwork:
    """The network and its manifest. One instance may be used by one thread at a time."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        """Use `open`."""
        self._session = session

    @classmethod
    def open(cls, folder: Path) -> "HeatMapNetwork":
        """Loads the network of a folder; ConfigError MODEL_MISSING or MODEL_CHANGED."""
        expected = {"kinds": list(CELL_KINDS), "depth": PATCH_DEPTH}
        return cls(open_session(verified_model(folder, read_manifest(folder), expected)))

    def look(self, image: Image) -> HeatMap:
        """The heat map of a BGR picture of any size but an empty one."""
        return self.look_at_input(*heat_map_input(image))

    def look_at_input(self, patches: Image, scale: int) -> HeatMap:
        """The heat map of a picture by its `heat_map_input`, which another thread may have made."""
        outputs = self._session.run(None, {"patches": patches[None]})[0][0]
        return decode_heat_map(outputs, scale)
