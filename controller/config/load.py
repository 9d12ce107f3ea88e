"""Reads a configuration file, with every mistake named by its field.

A setting that this version no longer has has the code of a sentence that names its replacement. For one
release a configuration with such a setting still opens, and the table says so. A setting that guards evidence
is refused instead. Recordings of earlier versions hold whole configurations: their retired settings are left
out for good.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import ValidationError

from controller.config.gaming_day import DAY, TABLE, DayFiles, gaming_day
from controller.config.model import JournalSection, TableConfig
from controller.config.sections import Section
from controller.domain import ConfigError, JournalError
from controller.ports import SystemClock


class RetiredSetting(NamedTuple):
    """A setting of the file: all sections of a list, those of one `kind`, or one field of each.

    `refused`: the table does not open with it.
    """

    place: tuple[str, ...]
    code: str
    kind: str = ""
    refused: bool = False


RETIRED: Final = (
    RetiredSetting(("signing", "keep_syslog"), "RETIRED_KEEP_SYSLOG", refused=True),
    RetiredSetting(("notify",), "RETIRED_NOTIFY"),
    RetiredSetting(("telemetry",), "RETIRED_TELEMETRY"),
    RetiredSetting(("rack",), "RETIRED_RACK"),
    RetiredSetting(("chips",), "RETIRED_LLRP", kind="llrp"),
    RetiredSetting(("chips", "antennas"), "RETIRED_LLRP"),
    RetiredSetting(("chips", "values"), "RETIRED_LLRP"),
)


def without_retired(raw: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[RetiredSetting, ...]]:
    """A configuration as it is read without its retired settings, and those of them that had a value."""
    kept = dict(raw)
    return kept, tuple(one for one in RETIRED if any(_take(kept, one.place, one.kind)))


def _take(section: dict[str, Any], place: tuple[str, ...], kind: str) -> list[object]:
    """Take a setting out of a section, or out of each section of a list; its values."""
    name, *rest = place
    if name not in section:
        return []
    if not (rest or kind):
        return [section.pop(name)]
    inside = section[name]
    parts = [dict(one) if isinstance(one, dict) else one for one in _listed(inside)]
    taken = [one for one in parts if kind and isinstance(one, dict) and one.get("kind") == kind]
    parts = [one for one in parts if one not in taken]
    section[name] = parts if isinstance(inside, list) else next(iter(parts), {})
    if not rest:
        return [*taken]
    return [value for one in parts if isinstance(one, dict) for value in _take(one, tuple(rest), "")]


def _listed(inside: object) -> list[object]:
    return inside if isinstance(inside, list) else [inside]


BYTES_MAX: Final = 1_000_000
"""Size of the largest file that is taken for a configuration."""

_NO_FILE: Final = "not a regular file"


AnySection = TypeVar("AnySection", bound=Section)


def load_config(path: Path) -> TableConfig:
    """Read and check a TOML file; relative paths in it are relative to its folder.

    Raises `ConfigError`: CONFIG_MISSING, CONFIG_NOT_TOML, CONFIG_KEPT_BESIDE, CONFIG_WRONG with the first
    wrong `field`, the code of a retired setting that guards evidence. `JournalError` as `_of_day`.
    """
    try:
        if path.exists() and not path.is_file():
            raise ConfigError("CONFIG_MISSING", path=str(path), reason=_NO_FILE)
        with path.open("rb") as file:
            data = file.read(BYTES_MAX + 1)
        if len(data) > BYTES_MAX:
            raise ConfigError("CONFIG_NOT_TOML", path=str(path), reason=f"more than {BYTES_MAX} bytes")
        raw = tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise ConfigError("CONFIG_MISSING", path=str(path), reason=error.strerror or "") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError("CONFIG_NOT_TOML", path=str(path), reason=str(error)) from error
    try:
        return _rooted(TableConfig.model_validate(_current(raw, path)), path.parent)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(_place(first["loc"], raw)) or "file"
        raise ConfigError("CONFIG_WRONG", path=str(path), field=field, reason=first["msg"]) from error


def _current(raw: dict[str, Any], path: Path) -> dict[str, Any]:
    """The file's settings without the retired ones, and the codes of these; raises as `load_config`."""
    if "retired" in raw:
        raise ConfigError("CONFIG_WRONG", path=str(path), field="retired", reason="no setting of this name")
    kept, retired = without_retired(raw)
    for setting in retired:
        if setting.refused:
            raise ConfigError(setting.code, path=str(path))
    return {**kept, "retired": [*dict.fromkeys(setting.code for setting in retired)]}


def _place(loc: tuple[int | str, ...], raw: dict[str, Any]) -> list[str]:
    """Write where a mistake is as the file has it: a single `[camera]` has no number."""
    parts = [str(part) for part in loc]
    if parts[:2] == ["camera", "0"] and isinstance(raw.get("camera"), dict):
        del parts[1]
    return parts


def _beside(section: AnySection, folder: Path) -> AnySection:
    """The section with its paths from the configuration's folder on."""
    paths = {name: folder / path for name, path in section if isinstance(path, Path)}
    return section.model_copy(update=paths)


def _of_day(journal: JournalSection, table: str) -> JournalSection:
    """The section with the newest day's file, or with that of today where there is none.

    Raises `JournalError` JOURNAL_CANNOT_OPEN for a folder that this account may not read.
    """
    if DAY not in journal.file.name:
        named = journal.file.with_name(journal.file.name.replace(TABLE, table))
        return journal.model_copy(update={"file": named})
    days = DayFiles(journal.file, table)
    today = gaming_day(SystemClock().utc_us(), journal.day_begins)
    try:
        newest = next(iter(days.days()), today)
    except OSError as error:
        raise JournalError(
            "JOURNAL_CANNOT_OPEN", path=str(days.folder), reason=error.strerror or ""
        ) from error
    return journal.of_day(days, days.file_of(newest))


def _rooted(config: TableConfig, folder: Path) -> TableConfig:
    journal = _of_day(_beside(config.journal, folder), config.table.name)
    web = config.web
    if web.metrics_token_file is not None:
        web = web.model_copy(update={"metrics_token_file": folder / web.metrics_token_file})
    if web.tls is not None:
        files = {"certificate": folder / web.tls.certificate, "key": folder / web.tls.key}
        web = web.model_copy(update={"tls": web.tls.model_copy(update=files)})
    signing = config.signing.rooted(folder)
    kept = signing.keep_folder
    if kept is not None and kept.resolve() == journal.file.parent.resolve():
        # The kept file has the name of the table's own one, and would be written over it.
        raise ConfigError("CONFIG_KEPT_BESIDE", path=str(kept))
    parts = {
        "journal": journal,
        "people": _beside(config.people, folder),
        "models": _beside(config.models, folder),
        "recording": _beside(config.recording, folder),
        "signing": signing,
        "software": config.software.rooted(folder),
        "floor": config.floor and config.floor.rooted(folder),
        "camera": tuple(section.rooted(folder) for section in config.camera),
        "web": web,
    }
    return config.model_copy(update=parts)
