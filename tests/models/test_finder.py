"""Neither the tiles of the finder nor its weights depend on how often the work was broken off."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import pytest
import typer

from models.finder.store import TILES, add_tiles, opened_store
from models.finder.tiles import BLOCK, CLASSES

SEED: Final = 17


def drawn(folder: Path, count: int) -> np.ndarray:
    add_tiles(folder, count, seed=SEED, art=None, held_out=False)
    return opened_store(folder)


def test_a_store_goes_on_with_the_first_block_that_is_not_whole(tmp_path: Path) -> None:
    at_once = drawn(tmp_path / "once", 2 * BLOCK)
    broken = tmp_path / "broken"
    drawn(broken, 4)
    with (broken / TILES).open("ab") as file:
        file.write(b"half a block")
    assert len(opened_store(broken)) == BLOCK
    assert (drawn(broken, 4) == at_once).all()
    assert (at_once["count"] > 0).any()
    assert at_once["classes"].max() < len(CLASSES)
    shown = at_once["indices"][at_once["indices"][..., 6] > 0]
    assert (np.hypot(shown[:, 2], shown[:, 3]) > 1).all()


def test_a_store_takes_no_tiles_of_another_seed(tmp_path: Path) -> None:
    drawn(tmp_path, 1)
    with pytest.raises(typer.BadParameter):
        add_tiles(tmp_path, 1, seed=SEED + 1, art=None, held_out=False)


def test_training_that_was_broken_off_ends_with_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch", reason="the extra `train` installs it")
    from models.finder import train  # noqa: PLC0415  # imports torch, which an installed table lacks

    tiles = drawn(tmp_path, BLOCK)[:4]
    torch.set_num_threads(1)
    monkeypatch.setattr(train, "BATCH", 4)
    folders = tmp_path / "whole", tmp_path / "broken"
    for folder in folders:
        folder.mkdir()
    whole = train.fit(tiles, folders[0], rounds=2, steps=1, seed=SEED)
    monkeypatch.setattr(typer, "echo", ending_at("round 2"))
    with pytest.raises(KeyboardInterrupt):
        train.fit(tiles, folders[1], rounds=2, steps=1, seed=SEED)
    monkeypatch.undo()
    monkeypatch.setattr(train, "BATCH", 4)
    resumed = train.fit(tiles, folders[1], rounds=2, steps=1, seed=SEED)
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def ending_at(line: str) -> Callable[[str], None]:
    """Prints nothing, and ends the run where a line begins so: before that round's state is kept."""

    def echo(words: str) -> None:
        if words.startswith(line):
            raise KeyboardInterrupt

    return echo
