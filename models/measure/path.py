"""The reader's own path from a picture to indices, for measuring single indices instead of whole cards."""

from vision.certainty import SIZE_LIMITS
from vision.geometry import Image, IndexPoses
from vision.indices import Index, read_indices
from vision.inference import default_models_dir
from vision.networks import Networks
from vision.proposal import propose_indices
from vision.reading import RANKS, SUITS


def networks_in_use() -> Networks:
    """Return the reader's networks (int8), on one thread."""
    return Networks.open(default_models_dir(), 1)


def found(image: Image, networks: Networks) -> list[Index]:
    """The indices that the reader finds in a picture, certain or not."""
    return read_indices(image, propose_indices(image), networks)[0]


def offered(image: Image, places: IndexPoses, networks: Networks) -> list[Index]:
    """Return the reader's indices for given places."""
    return read_indices(image, places, networks)[0]


def name_of(index: Index) -> str:
    """Rank and suit, as `10h`."""
    return f"{RANKS[index.rank]}{SUITS[index.suit]}"


def score_of(index: Index) -> float:
    """The probability by which an index is accepted; 0 where a test that knows no degrees refuses it."""
    fit = index.agreed and index.whole and index.index_px >= SIZE_LIMITS.index_px
    return index.p if fit else 0.0
