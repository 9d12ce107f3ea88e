"""Compares the finder with today's search: `python -m models.finder.compare WORK --held-out FOLDER`.

On full tables of decks left out of training both say where indices are; the index network names them there.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types
import torch
import typer
from onnxruntime.quantization import (  # type: ignore[import-untyped]  # as above
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process  # type: ignore[import-untyped]  # as above
from torch import Tensor

from models.crops.layouts import layout_deck
from models.export import OPSET, without_traces
from models.finder.net import (
    CARD_AT,
    CARD_UNIT,
    DOWN_AT,
    HEAT_AT,
    HEIGHT_AT,
    OFFSET_AT,
    PATCH_DEPTH,
    FinderNet,
)
from models.finder.store import opened_store
from models.finder.tiles import CELL_PX, truths_of
from models.heat_map.net import as_input
from models.heat_map.scenes import shot
from models.stress.scenes import dealt_table, held_out_deck, zoomed
from vision.geometry import Image, IndexPoses, Points
from vision.heat_map import exposure_gain, picture_patches
from vision.inference import default_models_dir
from vision.networks import Networks
from vision.proposal import coarse_sample, keep_likely, propose_indices
from vision.reading import RANKS

_ODD_EVERY: Final = 5
"""Each fifth table has a deck of an odd layout."""

_LEAST_HEAT: Final = 0.2
NEAR, _ALONG = 0.35, 0.9
"""A pose is an index's up to so many heights from its centre, and from that cosine of the directions on."""

SHOWN: Final = (0.94, 0.9)
"""Shares of rank and pip that show of a readable index, as the index network is taught."""

CERTAIN: Final = 0.99
ALIGN_PX: Final = 4 * CELL_PX
CALIBRATED: Final = 150


class Found(NamedTuple):
    """Poses, and the centres of cards that they point at (n x 2; the search has none), in pixels."""

    poses: IndexPoses
    cards: Points | None


Look = Callable[[Image], Found]


class Table(NamedTuple):
    """A drawn table: picture, readable indices (n x INDEX_FIELDS), their ranks, whether its layout is odd."""

    frame: Image
    truths: Points
    ranks: np.ndarray
    readable: np.ndarray
    odd: bool


def tables(count: int, seed: int, times: int) -> Iterator[Table]:
    """Full tables of 1920 x 1080 pixels, or so many times as wide, of decks that training never saw."""
    for number in range(count):
        rng = np.random.default_rng((seed, number))
        odd = number % _ODD_EVERY == _ODD_EVERY - 1
        deck = layout_deck(rng, True) if odd else held_out_deck(rng, [])
        scene = zoomed(dealt_table(rng, deck)[0], times) if times > 1 else dealt_table(rng, deck)[0]
        height = scene.cards[0].height
        picture = shot(scene, rng, height * deck.rank_share, height)
        truths = truths_of(scene, picture)
        faces = [card for card in scene.cards if card.face == "up" for _ in card.art.indices]
        ranks = np.array([RANKS.index(str(card.rank)) for card in faces])
        readable = (truths[:, 6] >= SHOWN[0]) & (truths[:, 7] >= SHOWN[1])
        yield Table(picture.frame, truths, ranks, readable, odd)


class _OnBytes(torch.nn.Module):
    """The network on patches as bytes, n x h x w x PATCH_DEPTH."""

    def __init__(self, net: torch.nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, patches: Tensor) -> tuple[Tensor, Tensor]:
        poses, classes = self.net(as_input(patches))
        return poses, classes


class _Tiles(CalibrationDataReader):
    """Feeds tiles to the calibration of the activations."""

    def __init__(self, tiles: np.ndarray) -> None:
        self._pictures = iter(tiles["picture"])

    def get_next(self) -> dict[str, Image] | None:
        picture = next(self._pictures, None)
        return None if picture is None else {"patches": picture_patches(_even(picture))[None]}


def export(work: Path, tiles: np.ndarray) -> None:
    """Writes finder.onnx and its int8 form; outputs and their layer stay exact, since a pose is a number."""
    net = FinderNet()
    net.load_state_dict(torch.load(work / "finder.pt"))
    example = torch.zeros(1, 16, 24, PATCH_DEPTH, dtype=torch.uint8)
    sides = {
        1: 4 * torch.export.Dim("rows", min=2, max=1024),
        2: 4 * torch.export.Dim("columns", min=2, max=1024),
    }
    program = torch.onnx.export(
        _OnBytes(net).eval(), (example,), dynamo=True, opset_version=OPSET, verbose=False,
        input_names=["patches"], output_names=["poses", "classes"], dynamic_shapes=(sides,),
    )  # fmt: skip
    assert program is not None
    exact, prepared = work / "finder.onnx", work / "finder.prepared.onnx"
    model = without_traces(program.model_proto)
    exact.write_bytes(model.SerializeToString())
    quant_pre_process(str(exact), str(prepared), skip_symbolic_shape=True)
    last = [node.name for node in model.graph.node if {"poses", "classes"} & set(node.output)]
    quantize_static(
        str(prepared), str(work / "finder.int8.onnx"), _Tiles(tiles[:CALIBRATED]),
        quant_format=QuantFormat.QDQ, per_channel=True, activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8, nodes_to_exclude=last,
    )  # fmt: skip
    prepared.unlink()


def _even(picture: Image) -> Image:
    return np.asarray(cv2.convertScaleAbs(picture, alpha=exposure_gain(picture)))


def _finder_input(image: Image, scale: int) -> Image:
    """Patches of a picture made smaller by a whole number, evenly bright, filled up to ALIGN_PX."""
    height, width = image.shape[0] // scale, image.shape[1] // scale
    small = _even(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA) if scale > 1 else image)
    down, right = -height % ALIGN_PX, -width % ALIGN_PX
    return picture_patches(cv2.copyMakeBorder(small, 0, down, 0, right, cv2.BORDER_REPLICATE))


def _poses_in(outputs: Points, scale: int, least: float = _LEAST_HEAT) -> tuple[IndexPoses, Points, Points]:
    """Poses at the heat's peaks, the cards' centres (n x 2) and the heat, in pixels of the picture."""
    heat = 1 / (1 + np.exp(-outputs[HEAT_AT]))
    rows, columns = np.nonzero((heat >= least) & (heat == cv2.dilate(heat, np.ones((3, 3), np.uint8))))
    told = outputs[:, rows, columns].T
    centres = ((np.stack([columns, rows], 1) + told[:, OFFSET_AT] + 0.5) * CELL_PX - 0.5) * scale
    centres += (scale - 1) / 2
    downs = told[:, DOWN_AT] / np.maximum(np.hypot(*told[:, DOWN_AT].T), 1e-6)[:, None]
    index_px = np.exp2(np.clip(told[:, HEIGHT_AT], 0, 10)) * scale
    cards = centres + told[:, CARD_AT] * CARD_UNIT * index_px[:, None]
    return IndexPoses(centres, downs, index_px), cards, heat[rows, columns]


def _with_finder(path: Path, scale: int) -> Look:
    """The finder of an ONNX file, in one thread, on a picture made `scale` times smaller."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def look(image: Image) -> Found:
        outputs = session.run(["poses"], {"patches": _finder_input(image, scale)[None]})[0][0]
        return Found(*_poses_in(outputs, scale)[:2])

    return look


def _with_search(networks: Networks) -> Look:
    """The search for pairs of ink and the filter behind it."""

    def look(image: Image) -> Found:
        found = propose_indices(image, coarse_sample(image))
        return Found(keep_likely(image, found, networks.proposal_filter), None)

    return look


def matched(found: IndexPoses, truths: Points) -> np.ndarray:
    """Return the nearest pose of each index, -1 where none fits."""
    heights = np.hypot(truths[:, 2], truths[:, 3])
    apart = np.hypot(*(truths[:, None, :2] - found.centres[None]).transpose(2, 0, 1)) / heights[:, None]
    fits = (apart < NEAR) & ((truths[:, 2:4] / heights[:, None]) @ found.downs.T > _ALONG)
    if not fits.size:
        return np.full(len(truths), -1)
    return np.where(fits.any(1), np.where(fits, apart, np.inf).argmin(1), -1)


class Tally:
    """The results of one method on all tables."""

    def __init__(self) -> None:
        """Start empty."""
        self.found: list[np.ndarray] = []
        self.errors: list[np.ndarray] = []
        self.seconds: list[float] = []
        self.beside = 0

    def add(self, table: Table, look: Look, networks: Networks) -> None:
        """Looks at a table; `found` has found, named right, certain and wrong, odd, height of each index."""
        started = time.perf_counter()
        poses, cards = look(table.frame)
        self.seconds.append(time.perf_counter() - started)
        match = matched(poses, table.truths)
        self.beside += len(poses.index_px) - len(set(match[match >= 0]))
        truths, match, ranks = (column[table.readable] for column in (table.truths, match, table.ranks))
        heights = np.hypot(truths[:, 2], truths[:, 3])
        there = match >= 0
        named, wrong = np.zeros(len(match), bool), np.zeros(len(match), bool)
        if there.any():
            rank = networks.indices.classify_poses(table.frame, poses.take(match[there])).rank
            named[there] = rank.argmax(1) == ranks[there]
            wrong[there] = ~named[there] & (rank.max(1) > CERTAIN)
        self.found.append(np.stack([there, named, wrong, np.full(len(match), table.odd), heights], 1))
        if there.any():
            seen, at = truths[there], match[there]
            cosines = np.einsum("ij,ij->i", poses.downs[at], seen[:, 2:4] / heights[there][:, None])
            columns = [
                np.hypot(*(poses.centres[at] - seen[:, :2]).T) / heights[there],
                np.degrees(np.arccos(np.clip(cosines, -1, 1))),
                np.abs(np.log2(poses.index_px[at] / heights[there])),
            ]
            if cards is not None:
                columns.append(np.hypot(*(cards[at] - seen[:, 4:6]).T) / heights[there])
            self.errors.append(np.stack(columns, 1))

    def row(self, name: str) -> str:
        """A line of the table, Markdown."""
        found = np.concatenate(self.found)
        odd = found[:, 3] > 0
        shares = [f"{100 * found[rows, 0].mean():.1f} %" for rows in (odd >= 0, ~odd, odd)]
        named = f"{100 * found[:, 1].mean():.1f} %"
        errors = np.percentile(np.concatenate(self.errors), (50, 95), axis=0).T
        off = "; ".join(f"{half:.2f}, {most:.2f}" for half, most in errors)
        beside, ms = self.beside / len(self.found), 1000 * float(np.median(self.seconds))
        cells = (name, *shares, named, f"{found[:, 2].sum():.0f}", f"{beside:.0f}", off, f"{ms:.0f} ms")
        return f"| {' | '.join(cells)} |"


HEADING: Final = (
    "| | found, all | usual | odd layouts | found and named right | certain and wrong | other peaks "
    "| off: centre, degrees, log2 of height, card's centre: median, p95 | time |"
)


def main(
    work: Annotated[Path, typer.Argument(help="Folder with finder.pt; the ONNX files go there.")],
    held_out: Annotated[Path, typer.Option(help="Tiles that calibrate the int8 form.")],
    count: Annotated[int, typer.Option(help="Tables.")] = 15,
    times: Annotated[int, typer.Option(help="1: 1920 x 1080, 2: 3840 x 2160.")] = 1,
    *,
    scales: Annotated[str, typer.Option(help="The finder's picture is made so many times smaller.")] = "2,1",
    seed: int = 5001,
) -> None:
    """Draw tables of decks left out and print each method's results, as Markdown."""
    cv2.setNumThreads(1)
    export(work, opened_store(held_out))
    networks = Networks.open(default_models_dir(), 1)
    ways = {"search and filter": _with_search(networks)}
    for scale in (int(part) for part in scales.split(",")):
        for form, file in (("float32", "finder.onnx"), ("int8", "finder.int8.onnx")):
            ways[f"finder, picture / {scale}, {form}"] = _with_finder(work / file, scale)
    tallies = {name: Tally() for name in ways}
    for table in tables(count, seed, times):
        for name, look in ways.items():
            tallies[name].add(table, look, networks)
    typer.echo(f"{HEADING}\n{'|---' * 9}|")
    for name, tally in tallies.items():
        typer.echo(tally.row(name))


if __name__ == "__main__":
    typer.run(main)
