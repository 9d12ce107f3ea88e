"""All networks of the reader, opened from one folder."""

from pathlib import Path
from typing import NamedTuple

from vision.classifier.deck_network import DeckIndexNetwork
from vision.classifier.index_network import IndexNetwork, WholeCardNetwork
from vision.classifier.prototypes import Prototypes
from vision.inference import Workers
from vision.proposal import HeatMapNetwork, ProposalFilterNetwork


class Networks(NamedTuple):
    """All that the reader needs. May be used by one thread at a time."""

    workers: Workers
    proposal_filter: ProposalFilterNetwork
    indices: IndexNetwork
    whole_cards: WholeCardNetwork
    heat_map: HeatMapNetwork

    @property
    def deck(self) -> Prototypes | None:
        """Return the deck whose prototypes name the indices; None without one."""
        return self.indices.deck if isinstance(self.indices, DeckIndexNetwork) else None

    @classmethod
    def open(cls, folder: Path, threads: int, deck: Prototypes | None = None) -> "Networks":
        """Load the networks of a folder with one folder for each; raises as `CropNetwork.open` does.

        With a `deck` indices are named by its prototypes. The names on disk (glance, body, survey) are older
        than the classes: recordings and folders outside the repository contain them.
        """
        workers = Workers(threads)
        indices = IndexNetwork.open(folder / "index", workers)
        if deck is not None:
            indices = DeckIndexNetwork.open(folder / "index", workers)
            indices.deck = deck
        return cls(
            workers,
            ProposalFilterNetwork.open(folder / "glance", workers),
            indices,
            WholeCardNetwork.open(folder / "body", workers),
            HeatMapNetwork.open(folder / "survey"),
        )
