"""The int8 network beside the float32 one that it was made from, on every index that is accepted."""

from collections import Counter
from typing import Any, Final

import numpy as np

from models.measure.path import name_of, offered
from vision.arrays import Image
from vision.certain import is_certain
from vision.indices import Index
from vision.locate import Candidates
from vision.network import Networks

LISTED_MAX: Final = 50
"""Differences that are listed one by one."""


class Comparison:
    """Counts agreement index by index."""

    def __init__(self) -> None:
        """Empty."""
        self.counts: Counter[str] = Counter()
        self.listed: list[dict[str, Any]] = []

    def add(self, where: str, image: Image, indices: list[Index], reference: Networks) -> None:
        """Reads the accepted ones of a picture's int8 indices again with the float32 network."""
        accepted = [index for index in indices if is_certain(index)]
        self.counts["accepted"] += len(accepted)
        for index in accepted:
            frame = Candidates(index.centre[None], index.down[None], np.array([index.height]))
            again = offered(image, frame, reference)
            if again and name_of(again[0]) == name_of(index):
                self.counts["same"] += 1
                self.counts["also accepted"] += is_certain(again[0])
            else:
                other = name_of(again[0]) if again else "none"
                self.listed.append({"where": where, "int8": name_of(index), "float32": other})

    def plain(self) -> dict[str, Any]:
        """As JSON; of the differences the first `LISTED_MAX`."""
        return {**self.counts, "differences": self.listed[:LISTED_MAX]}
