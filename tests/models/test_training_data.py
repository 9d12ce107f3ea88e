"""Drawn crops are kept between runs, and only for as long as they are what would be drawn today."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from models.drawing import drawing_key, drawing_sources

ROOT: Final = Path(__file__).resolve().parents[2]
DRAW: Final = """
import sys
from pathlib import Path
from models import drawing
drawing.SHARD = 30
index, body = drawing.draw_data(Path(sys.argv[1]), "train", 30, seed=17, art=None, processes=1)
print(index.crops.filename)
"""
NEGATIVE: Final = "def disturb(frame, rng, detail_px):\n    return 255 - frame\n\n\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The sources that draw, as they would lie in a checkout of their own."""
    for folder in ("models", "vision"):
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.onnx", "__pycache__", "*.svg")
        )
    (tmp_path / "controller").mkdir()
    for module in ("__init__.py", "domain.py"):
        shutil.copy(ROOT / "controller" / module, tmp_path / "controller")
    return tmp_path


def drawn(checkout: Path) -> Path:
    """The folder of shards that a run of the checkout draws or uses again."""
    command = [sys.executable, "-c", DRAW, str(checkout / "work")]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip()).parent


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_crops_are_drawn_anew_when_the_drawing_changed_and_only_then(checkout: Path) -> None:
    first = drawn(checkout)
    shard = first / "0000.npz"
    drawn_at = shard.stat().st_mtime_ns
    change(checkout / "models/train.py", "BATCH = 256", "BATCH = 128")
    assert drawn(checkout) == first
    assert shard.stat().st_mtime_ns == drawn_at
    # Several imports away from the program that is run: models.crops, vision.synth, random_scenes.
    faults = checkout / "vision/synth/scene.py"
    change(faults, "def disturb(", NEGATIVE + "def disturb_as_before(")
    second = drawn(checkout)
    assert second != first
    with np.load(shard) as old, np.load(second / "0000.npz") as new:
        assert not np.array_equal(old["crops"], new["crops"])


def test_the_key_follows_imports_data_and_card_art(tmp_path: Path) -> None:
    names = {path.relative_to(ROOT).as_posix() for path in drawing_sources("models.drawing")}
    assert {
        "models/decks.py",
        "models/crops.py",
        "vision/proposal.py",
        "vision/native/pairs.c",
        "vision/synth/card.py",
        "vision/synth/glyphs.npz",
    } <= names
    assert not names & {"models/train.py", "models/net.py", "controller/engine/play.py"}
    deck = tmp_path / "deck"
    deck.mkdir()
    (deck / "As.webp").write_bytes(b"one")
    key = drawing_key("models.drawing", tmp_path)
    assert key == drawing_key("models.drawing", tmp_path)
    (deck / "As.webp").write_bytes(b"two")
    other, without = drawing_key("models.drawing", tmp_path), drawing_key("models.drawing", None)
    assert len({key, other, without}) == 3
