"""Reading a configuration file, with every mistake named by its field."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from controller.config.model import TableConfig
from controller.domain.errors import ConfigError


def load_config(path: Path) -> TableConfig:
    """Read and check a TOML file; relative paths in it are relative to its folder.

    Raises `ConfigError`: CONFIG_MISSING, CONFIG_NOT_TOML, CONFIG_WRONG with the first wrong `field`.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError("CONFIG_MISSING", path=str(path), reason=error.strerror or "") from error
    except ValueError as error:
        raise ConfigError("CONFIG_NOT_TOML", path=str(path), reason=str(error)) from error
    try:
        return _rooted(TableConfig.model_validate(raw), path.parent)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(_place(first["loc"], raw)) or "file"
        raise ConfigError("CONFIG_WRONG", path=str(path), field=field, reason=first["msg"]) from error


def _place(loc: tuple[int | str, ...], raw: dict[str, Any]) -> list[str]:
    """Write where a mistake is as the file has it: a single `[camera]` has no number."""
    parts = [str(part) for part in loc]
    if parts[:2] == ["camera", "0"] and isinstance(raw.get("camera"), dict):
        del parts[1]
    return parts


def _rooted(config: TableConfig, folder: Path) -> TableConfig:
    journal = config.journal.model_copy(update={"file": folder / config.journal.file})
    models = config.models
    if models.folder is not None:
        models = models.model_copy(update={"folder": folder / models.folder})
    recording = config.recording
    if recording.folder is not None:
        recording = recording.model_copy(update={"folder": folder / recording.folder})
    camera = tuple(section.rooted(folder) for section in config.camera)
    return config.model_copy(
        update={"journal": journal, "models": models, "recording": recording, "camera": camera}
    )
