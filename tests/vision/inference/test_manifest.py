"""The model files are those that were trained, or nothing is read."""

import shutil
from pathlib import Path

import pytest

from controller.domain import ConfigError
from vision.inference import default_models_dir
from vision.reader import CardReader

NETWORKS = ("glance", "index", "body", "survey")
LARGEST_BYTES = 2_000_000


@pytest.fixture(params=NETWORKS)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of one of the networks in a copy of all."""
    for name in NETWORKS:
        shutil.copytree(default_models_dir() / name, tmp_path / name)
    return tmp_path / str(request.param)


def code_of(models: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        CardReader.open(models)
    return caught.value.code


def test_a_changed_model_is_refused(model: Path) -> None:
    data = bytearray((model / "model.onnx").read_bytes())
    data[len(data) // 2] ^= 1
    (model / "model.onnx").write_bytes(data)
    assert code_of(model.parent) == "MODEL_CHANGED"


def test_a_missing_model_is_named(model: Path) -> None:
    (model / "model.onnx").unlink()
    assert code_of(model.parent) == "MODEL_MISSING"


def test_a_missing_manifest_is_named(model: Path) -> None:
    (model / "manifest.toml").unlink()
    assert code_of(model.parent) == "MODEL_MISSING"


def test_a_network_in_anothers_place_is_refused(model: Path) -> None:
    other = model.parent / NETWORKS[NETWORKS.index(model.name) - 1]
    shutil.rmtree(model)
    shutil.copytree(other, model)
    assert code_of(model.parent) == "MODEL_CHANGED"


def test_labels_in_another_order_are_refused(model: Path) -> None:
    manifest = (model / "manifest.toml").read_text()
    swapped = manifest.replace('"c", "d"', '"d", "c"').replace('"felt", "face"', '"face", "felt"')
    (model / "manifest.toml").write_text(swapped)
    assert code_of(model.parent) == "MODEL_CHANGED"


@pytest.mark.parametrize("name", NETWORKS)
def test_the_models_are_small_enough_to_ship(name: str) -> None:
    assert (default_models_dir() / name / "model.onnx").stat().st_size < LARGEST_BYTES


def test_no_shipped_network_tells_where_it_was_made() -> None:
    files = sorted(default_models_dir().glob("*/*.onnx"))
    assert len(files) >= 4
    assert [path.parent.name for path in files if b"site-packages" in path.read_bytes()] == []
