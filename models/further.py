"""`python -m models.further`: teaches the exported index network unusual layouts of an index, and no more.

It is the last step of `models.train` for it, begun from the float32 form that an earlier run has left.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer

from models.card import write_card
from models.glyph_head import teach_head
from models.run_record import begin_run
from models.train import FIXED, LAYOUT_CROPS, VALID_CROPS, Drawer, export_and_record, fit_layouts
from models.warm_start import index_net_of


def main(
    work: Annotated[Path, typer.Option(help="Where drawn data are kept between runs.")] = Path("build/train"),
    out: Annotated[Path, typer.Option(help="Folder of the models.")] = Path("models"),
    art: Annotated[Path | None, typer.Option(help="Folder of card art; none = drawn cards only.")] = None,
    begin: Annotated[
        Path | None, typer.Option(help="Float32 form to begin with; none = OUT/reference/index.onnx.")
    ] = None,
    *,
    seed: int = 17,
    threads: int = 2,
) -> None:
    """Draws the layouts, teaches them, exports the index network, writes its figures into the model card."""
    default_art = Path("../shared/cards/decks")
    source = art or (default_art if default_art.is_dir() else None)
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    record = begin_run(seed=seed, threads=threads, further=True, **FIXED, art=source is not None)
    drawer = Drawer(work, source, seed, threads)
    net = index_net_of(begin or out / "reference" / "index.onnx")
    net = fit_layouts(net, drawer)
    torch.save(net.state_dict(), work / "index.pt")
    sample, valid = drawer.crops("layouts", LAYOUT_CROPS), drawer.crops("valid", VALID_CROPS)
    export_and_record(net, out / "index", sample, valid, record)
    teach_head(out / "index")
    write_card(out)


if __name__ == "__main__":
    typer.run(main)
