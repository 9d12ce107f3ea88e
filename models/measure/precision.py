"""The int8 network beside the float32 one that it was made from, on every index that is accepted."""

from collections import Counter
from typing import Any, Final

import numpy as np

from models.measure.path import name_of
from vision.acceptance import is_certain
from vision.classifier import INDEX_CROP, Index, Networks, Scores, poses_of
from vision.geometry import Image
from vision.inference import cut_crops
from vision.labels import RANKS, SUITS

LISTED_MAX: Final = 50
"""Differences that are listed one by one."""


class Agreement:
    """Counts agreement index by index; `furthest_apart` are the probabilities of the named rank or suit."""

    def __init__(self, used: Networks, reference: Networks) -> None:
        """Compares the index networks of the two."""
        self._used, self._reference = used, reference
        self.counts: Counter[str] = Counter(accepted=0, same=0)
        self.furthest_apart = 0.0
        self.listed: list[dict[str, Any]] = []

    def add(self, where: str, image: Image, indices: list[Index]) -> None:
        """Lets both name each accepted index of a picture from the same crop."""
        accepted = [index for index in indices if is_certain(index)]
        if not accepted:
            return
        crops = cut_crops(image, poses_of(accepted), INDEX_CROP)
        own, other = (networks.indices.classify(crops) for networks in (self._used, self._reference))
        self.counts["accepted"] += len(accepted)
        for row, index in enumerate(accepted):
            names = _named(own, row), _named(other, row)
            self.counts["same"] += names[0] == names[1]
            if names[0] != names[1]:
                found = {"where": where, "read": name_of(index), "int8": names[0], "float32": names[1]}
                self.listed.append(found)
        for one, two in ((own.rank, other.rank), (own.suit, other.suit)):
            best = np.arange(len(one)), one.argmax(1)
            self.furthest_apart = max(self.furthest_apart, float(np.abs(one[best] - two[best]).max()))

    def plain(self) -> dict[str, Any]:
        """As JSON; of the differences the first `LISTED_MAX`."""
        return {
            **self.counts,
            "furthest_apart": [round(self.furthest_apart, 4)],
            "differences": self.listed[:LISTED_MAX],
        }


def _named(scores: Scores, row: int) -> str:
    return f"{RANKS[scores.rank[row].argmax()]}{SUITS[scores.suit[row].argmax()]}"
