"""Whether the networks and deck profiles of a table are the right ones, and computed as they are written."""

from pathlib import Path
from typing import Final

from controller.config import TableConfig
from controller.devices.cameras.deck_enrolment import deck_of
from controller.domain.errors import ConfigError
from vision.enrolment import load_profile
from vision.inference import (
    default_models_dir,
    open_session,
    read_manifest,
    require_arithmetic,
    verified_model,
)

NETWORKS: Final = ("index", "glance", "body", "survey")
"""Folders of the networks that a camera over the table needs."""


def require_reader(config: TableConfig) -> None:
    """Compare every file with its hash, and what this processor makes of each network with its file.

    Raises `ConfigError` MODEL_MISSING, MODEL_CHANGED, MODEL_COMPUTED_OTHERWISE, DECK_MISSING, DECK_CHANGED,
    DECK_OTHER_MODEL.
    """
    folder = config.models.folder or default_models_dir()
    manifests = {name: read_manifest(folder / name) for name in NETWORKS}
    for name, manifest in manifests.items():
        model = verified_model(folder / name, manifest, {})
        require_arithmetic(name, open_session(model), model)
    for deck in {deck for section in config.table_cameras if (deck := deck_of(section)) is not None}:
        _require_deck(deck, str(manifests["index"].get("sha256")))


def _require_deck(deck: Path, network: str) -> None:
    if load_profile(deck).network != network:
        raise ConfigError("DECK_OTHER_MODEL", path=str(deck))
