"""The recorder of a table: what it is told about the table, and where it listens."""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from controller.config import TableConfig
from controller.config.inputs import KeysSection
from controller.config.recording import RecordingSection
from controller.domain.rules import RuleSet
from controller.journal.entry import Entry, NewEntry
from controller.journal.store import Journal
from controller.main.cameras import driver_config
from controller.ports import Clock, Report, Tap, Trouble
from controller.recording import facts
from controller.recording.errors import RecordingError
from controller.recording.format import Kind, Session, Source
from controller.recording.recorder import Recorder
from controller.recording.segments import Segments, Size
from controller.recording.shelf import DAY_US, Keep, Shelf
from drivers.camera import recorded_settings
from vision.inference import default_models_dir

NAME: Final = "recorder"
SHARE: Final = 8
"""A segment takes no more than this part of the budget, because whole segments are removed."""

SEGMENT_BYTES_MAX: Final = 2_000 << 20

CREDENTIALS: Final = re.compile(r"(?<=://)[^/]*@")
"""Name and password in an address."""


class RecordedJournal(Journal):
    """A journal that tells what it has on disk, and only then."""

    heard: Callable[[Sequence[Entry]], None] | None = None

    def append(self, entries: Sequence[NewEntry]) -> tuple[Entry, ...]:
        """See `Journal.append`."""
        written = super().append(entries)
        if self.heard is not None:
            self.heard(written)
        return written


class Tape:
    """The recorder of a table that may have none."""

    def __init__(self, recorder: Recorder | None = None) -> None:
        """Nothing runs yet."""
        self._recorder = recorder

    @property
    def tap(self) -> Tap | None:
        """What the devices are given."""
        return self._recorder

    def open(self) -> None:
        """Start recording."""
        if self._recorder is not None:
            self._recorder.open()

    def close(self) -> None:
        """Close the file; waits for it."""
        if self._recorder is not None:
            self._recorder.close()

    def figures(self) -> Mapping[str, float]:
        """Give the figures for the house's monitoring; none without a recorder."""
        if self._recorder is None:
            return {}
        status = self._recorder.status()
        return {
            "recording": float(status.state == "recording"),
            "recorded_messages": status.messages,
            "recorded_bytes": status.bytes,
            "recording_dropped": status.dropped,
        }


def tape_of(
    config: TableConfig,
    rules: RuleSet,
    mode: str,
    *,
    journal: RecordedJournal,
    clock: Clock,
    post: Callable[[Report], None],
) -> Tape:
    """Make the recorder of a table; its warnings go to `post`.

    The journal as it is now becomes the history of the first segment; what it writes later is recorded.
    """
    if not (mode == "live" if config.recording.enabled is None else config.recording.enabled):
        return Tape()
    lines = [facts.encode(entry) for entry in journal.read() if isinstance(entry, Entry)]
    session = session_of(config, rules, mode, clock)._replace(journal_id=journal_id(lines))
    segments = Segments(shelf_of(config), session, sources_of(config), size_of(config.recording), lines)
    recorder = Recorder(segments, clock, lambda error: post(warning(error, clock)))
    journal.heard = recorder.wrote
    return Tape(recorder)


def session_of(config: TableConfig, rules: RuleSet, mode: str, clock: Clock) -> Session:
    """Describe a session that begins now."""
    written = json.dumps(rules._asdict(), sort_keys=True, separators=(",", ":"))
    return Session(
        table=config.table.name,
        currency=config.table.currency,
        program=version("stand17"),
        mode=mode,
        start_utc_us=clock.utc_us(),
        start_mono_ns=clock.mono_ns(),
        rules_name=rules.name,
        rules_sha256=hashlib.sha256(written.encode()).hexdigest(),
        rules=written,
        model_sha256=model_sha256(config.models.folder) if config.camera else "",
        config=json.dumps(without_secrets(config.model_dump(mode="json"))),
    )


def sources_of(config: TableConfig) -> list[Source]:
    """List the devices of a table with what a replay needs to build their drivers."""
    found = []
    if (shoe := config.shoe) is not None:
        settings = shoe.model_dump(mode="json", exclude={"name"})
        found.append(_source(shoe.name, "shoe", ("rx", "tx", "mark"), settings))
    for small in config.inputs:
        kind: Kind = "key" if isinstance(small, KeysSection) and small.kind == "input" else "rx"
        settings = small.model_dump(mode="json", exclude={"name", "kind"})
        found.append(_source(small.name, type(small).__name__, (kind, "tx", "mark"), settings))
    for camera in config.camera:
        found.append(
            _source(camera.name, "camera", ("jpeg", "mark"), recorded_settings(driver_config(camera)))
        )
    return found


def shelf_of(config: TableConfig) -> Shelf:
    """Find the folder of a table's recordings, and how much it may hold."""
    section = config.recording
    folder = section.folder or config.journal.file.with_suffix(".recordings")
    keep = Keep(
        ring_us=section.keep_minutes * 60 * 10**6,
        pinned_us=section.pinned_days * DAY_US,
        budget_bytes=section.disk_budget_mb << 20,
        reserve_bytes=section.reserve_mb << 20,
    )
    return Shelf(folder, keep)


def size_of(section: RecordingSection) -> Size:
    """Tell when a segment ends."""
    size = min(SEGMENT_BYTES_MAX, (section.disk_budget_mb << 20) // SHARE)
    return Size(section.segment_minutes * 60 * 10**9, size)


def warning(error: RecordingError, clock: Clock) -> Report:
    """Tell the pit that something is not recorded; the table goes on."""
    params = tuple((key, value) for key, value in error.params.items() if key != "path")
    return Report(NAME, clock.mono_ns(), (), (Trouble(error.code, params, hold=False),))


def journal_id(lines: Sequence[bytes]) -> str:
    """Name a journal by its first entry, whose own hash is a key that is told to nobody."""
    return hashlib.sha256(facts.decode(lines[0]).hash).hexdigest() if lines else ""


def model_sha256(folder: Path | None) -> str:
    """Name the models that the reader has checked, each with its hash; "" where there is none."""
    root, found = folder or default_models_dir(), []
    for path in sorted((*root.glob("manifest.toml"), *root.glob("*/manifest.toml"))):
        with suppress(OSError, ValueError):
            found.append(f"{path.parent.name}:{tomllib.loads(path.read_text('utf-8')).get('sha256', '')}")
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


def _source(name: str, device: str, kinds: tuple[Kind, ...], settings: Mapping[str, object]) -> Source:
    """Write settings as strings: those that are none already as JSON."""
    plain = _plain(dict(settings))
    written = {key: value if isinstance(value, str) else json.dumps(value) for key, value in plain.items()}
    return Source(name, kinds, {"device": device} | written)
