"""The reader's own path from a picture to indices, for measuring single indices instead of whole cards."""

import hashlib
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from vision.arrays import Image
from vision.certain import LEAST_PX, colours_agree
from vision.indices import Index, read_indices
from vision.labels import RANKS, SUITS
from vision.locate import Candidates, find_candidates
from vision.network import IndexNetwork, default_models_dir

REFERENCE: Final = Path(__file__).parent.parent / "reference" / "float32.onnx"


def index_network() -> IndexNetwork:
    """The int8 network in use, on one thread."""
    return IndexNetwork.open(default_models_dir(), 1)


def reference_network() -> IndexNetwork:
    """The float32 network, opened as the one in use is: same manifest, another file and hash."""
    manifest = (default_models_dir() / "manifest.toml").read_text(encoding="utf-8")
    own = str(tomllib.loads(manifest)["sha256"])
    data = REFERENCE.read_bytes()
    with TemporaryDirectory() as name:
        (Path(name) / "model.onnx").write_bytes(data)
        changed = manifest.replace(own, hashlib.sha256(data).hexdigest())
        (Path(name) / "manifest.toml").write_text(changed, encoding="utf-8")
        return IndexNetwork.open(Path(name), 1)


def found(image: Image, network: IndexNetwork) -> list[Index]:
    """The indices that the reader finds in a picture, certain or not."""
    return read_indices(image, find_candidates(image), network)


def offered(image: Image, places: Candidates, network: IndexNetwork) -> list[Index]:
    """What the reader makes of places that were found for it."""
    return read_indices(image, places, network)


def name_of(index: Index) -> str:
    """Rank and suit, as `10h`."""
    return f"{RANKS[index.rank]}{SUITS[index.suit]}"


def score_of(index: Index) -> float:
    """The probability by which an index is accepted; 0 where a test that knows no degrees refuses it."""
    fit = index.agreed and index.whole and index.height >= LEAST_PX and colours_agree(index)
    return index.p if fit else 0.0
