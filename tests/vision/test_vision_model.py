"""The model file is the one that was trained, or nothing is read."""

import shutil
from pathlib import Path

import pytest

from controller.domain.errors import ConfigError
from vision.network import default_models_dir
from vision.reader import CardReader


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return Path(shutil.copytree(default_models_dir(), tmp_path / "index"))


def code_of(models: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        CardReader.open(models)
    return caught.value.code


def test_a_changed_model_is_refused(models: Path) -> None:
    data = bytearray((models / "model.onnx").read_bytes())
    data[len(data) // 2] ^= 1
    (models / "model.onnx").write_bytes(data)
    assert code_of(models) == "MODEL_CHANGED"


def test_a_missing_model_is_named(models: Path) -> None:
    (models / "model.onnx").unlink()
    assert code_of(models) == "MODEL_MISSING"


def test_a_missing_manifest_is_named(tmp_path: Path) -> None:
    assert code_of(tmp_path) == "MODEL_MISSING"


def test_labels_in_another_order_are_refused(models: Path) -> None:
    manifest = (models / "manifest.toml").read_text()
    (models / "manifest.toml").write_text(manifest.replace('"c", "d"', '"d", "c"'))
    assert code_of(models) == "MODEL_CHANGED"


def test_the_model_is_small_enough_to_ship() -> None:
    assert (default_models_dir() / "model.onnx").stat().st_size < 2_000_000
