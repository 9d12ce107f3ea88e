"""What a recording says of its table: configuration and rules in, session and recorded devices out."""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from controller.config import TableConfig
from controller.config.inputs import KeysSection
from controller.devices.cameras.deck_enrolment import deck_of
from controller.devices.cameras.setup import camera_config
from controller.domain.errors import ConfigError
from controller.domain.rules import RuleSet
from controller.journal.entry import BadEntry, Entry
from controller.ports import Clock
from controller.recording.format import MessageKind, RecordedSession, RecordedSource
from drivers.camera import recorded_settings
from vision.calibration import latest_layout
from vision.enrolment import load_profile
from vision.inference import default_models_dir

CREDENTIALS: Final = re.compile(r"(?<=://)[^/]*@")
"""Name and password in an address."""


def recording_session(config: TableConfig, rules: RuleSet, mode: str, clock: Clock) -> RecordedSession:
    """Describe a session that begins now."""
    written = json.dumps(rules._asdict(), sort_keys=True, separators=(",", ":"))
    return RecordedSession(
        table=config.table.name,
        currency=config.table.currency,
        program=version("stand17"),
        mode=mode,
        start_utc_us=clock.utc_us(),
        start_mono_ns=clock.mono_ns(),
        rules_name=rules.name,
        rules_sha256=hashlib.sha256(written.encode()).hexdigest(),
        rules=written,
        model_sha256=_readers_sha256(config) if config.camera else "",
        config=json.dumps(without_secrets(config.model_dump(mode="json"))),
        layouts=name_layouts(_layouts_sha256(config)),
    )


def recorded_sources(config: TableConfig) -> list[RecordedSource]:
    """List the devices of a table with what a replay needs to build their drivers."""
    found = []
    if (shoe := config.shoe) is not None:
        settings = shoe.model_dump(mode="json", exclude={"name"})
        found.append(_source(shoe.name, "shoe", ("rx", "tx", "mark"), settings))
    for small in config.inputs:
        kind: MessageKind = "key" if isinstance(small, KeysSection) and small.kind == "input" else "rx"
        settings = small.model_dump(mode="json", exclude={"name", "kind"})
        found.append(_source(small.name, type(small).__name__, (kind, "tx", "mark"), settings))
    for camera in config.camera:
        found.append(
            _source(camera.name, "camera", ("jpeg", "mark"), recorded_settings(camera_config(camera)))
        )
    return found


def journal_id(first: Entry | BadEntry | None) -> str:
    """Name a journal by its first entry, whose own hash is a key that goes to nobody."""
    return hashlib.sha256(first.hash).hexdigest() if isinstance(first, Entry) else ""


def model_sha256(folder: Path | None) -> str:
    """Name the models that the reader has checked, each with its hash; "" where there is none."""
    root, found = folder or default_models_dir(), []
    for path in sorted((*root.glob("manifest.toml"), *root.glob("*/manifest.toml"))):
        with suppress(OSError, ValueError):
            found.append(f"{path.parent.name}:{tomllib.loads(path.read_text('utf-8')).get('sha256', '')}")
    return " ".join(found)


def name_layouts(sha256: Mapping[str, str]) -> str:
    """Write the layout file's SHA-256 of each camera as a session names them; "" for none."""
    return json.dumps(sha256, sort_keys=True) if sha256 else ""


def layouts_named(session: RecordedSession) -> dict[str, str]:
    """Read what `name_layouts` has written; nothing of a session that names none, or writes otherwise."""
    try:
        found = json.loads(session.layouts or "{}")
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {camera: sha256 for camera, sha256 in found.items() if isinstance(sha256, str)}


def _layouts_sha256(config: TableConfig) -> dict[str, str]:
    """The layout file's SHA-256 of each camera that has one."""
    found = {}
    for camera in config.table_cameras:
        # A layout that cannot be used is reported where the camera is opened; a recording needs none.
        with suppress(ConfigError):
            if camera.layout is not None:
                found[camera.name] = latest_layout(camera.layout).sha256
    return found


def _readers_sha256(config: TableConfig) -> str:
    """Name the models, and the deck profiles of the cameras that read with one."""
    found = [model_sha256(config.models.folder)]
    for camera in config.table_cameras:
        # A profile that cannot be used is reported where the reader is opened; a recording needs none.
        with suppress(ConfigError):
            if (deck := deck_of(camera)) is not None:
                found.append(f"deck/{camera.name}:{load_profile(deck).sha256}")
    return " ".join(found)


def without_secrets(config: dict[str, Any]) -> dict[str, Any]:
    """Leave out the hashes of PINs, and names and passwords inside addresses."""
    web = {key: value for key, value in config["web"].items() if key != "pins"}
    return {key: _plain(value) for key, value in {**config, "web": web}.items()}


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(inner) for key, inner in value.items()}
        case list():
            return [_plain(inner) for inner in value]
        case str():
            return CREDENTIALS.sub("", value)
    return value


def _source(
    name: str, device: str, kinds: tuple[MessageKind, ...], settings: Mapping[str, object]
) -> RecordedSource:
    """Write settings as strings: those that are none already as JSON."""
    plain = _plain(dict(settings))
    written = {key: value if isinstance(value, str) else json.dumps(value) for key, value in plain.items()}
    return RecordedSource(name, kinds, {"device": device} | written)
