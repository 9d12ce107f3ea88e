"""The recorder of a table: configuration and journal in, a session that taps the devices out."""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from controller.config import KeysSection, RecordingSection, TableConfig
from controller.devices.cameras.deck import deck_of
from controller.devices.cameras.setup import camera_config
from controller.domain import ConfigError, RuleSet
from controller.journal.copying import write_entry
from controller.journal.entry import BadEntry, Entry, NewEntry
from controller.journal.store import Journal, JournalReader
from controller.ports import (
    MACHINE_DISK,
    Clock,
    Report,
    ReportSink,
    SideDisk,
    StartWork,
    Tap,
    Trouble,
    WorkThread,
)
from controller.recording.format import (
    MessageKind,
    RecordedSession,
    RecordedSource,
    RecordingError,
)
from controller.recording.recorder import Recorder, SegmentLimits, SessionWriter
from controller.recording.segments import DAY_US, RetentionPolicy, SegmentStore
from drivers.camera import recorded_settings
from vision.calibration import latest_layout
from vision.enrolment import load_profile
from vision.inference import default_models_dir

_CREDENTIALS: Final = re.compile(r"(?<=://)[^/]*@")
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
        config=json.dumps(_without_secrets(config.model_dump(mode="json"))),
        layouts=name_layouts(_layouts_sha256(config)),
    )


def recorded_sources(config: TableConfig) -> list[RecordedSource]:
    """Return the devices of a table with the settings that a replay needs for their drivers."""
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
    """Return a journal's id from its first entry, whose own hash is a secret key."""
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


def _without_secrets(config: dict[str, Any]) -> dict[str, Any]:
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
            return _CREDENTIALS.sub("", value)
        case _:
            return value


def _source(
    name: str, device: str, kinds: tuple[MessageKind, ...], settings: Mapping[str, object]
) -> RecordedSource:
    """Return settings as strings; other values are JSON."""
    plain = _plain(dict(settings))
    written = {key: value if isinstance(value, str) else json.dumps(value) for key, value in plain.items()}
    return RecordedSource(name, kinds, {"device": device} | written)


NAME: Final = "recorder"
SHARE: Final = 8
"""A segment takes no more than this part of the budget, because whole segments are removed."""

_SEGMENT_BYTES_MAX: Final = 2_000 << 20


class RecordedJournal(Journal):
    """A journal that reports its entries after they are on disk."""

    on_written: Callable[[Sequence[Entry]], None] | None = None

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        """Write all entries or none in one transaction."""
        written = super().append(entries, at_utc_us)
        # After the disk has it: a recording never knows more than its journal.
        if self.on_written is not None:
            self.on_written(written)
        return written


class RecorderHandle:
    """The recorder of a table that may have none."""

    def __init__(self, recorder: Recorder | None = None) -> None:
        """Begin without a running recorder."""
        self._recorder = recorder

    @property
    def tap(self) -> Tap | None:
        """The tap for the devices."""
        return self._recorder

    def open(self, start: StartWork = WorkThread) -> None:
        """Start recording."""
        if self._recorder is not None:
            self._recorder.open(start)

    def close(self) -> None:
        """Close the file; returns when that is done."""
        if self._recorder is not None:
            self._recorder.close()

    def figures(self) -> Mapping[str, float]:
        """Give the figures for the house's monitoring; none without a recorder.

        Messages are counted, not bytes: a ten is written with a sign more than the other ranks.
        """
        if self._recorder is None:
            return {}
        status = self._recorder.status()
        return {
            "recording": float(status.state == "recording"),
            "recorded_messages": status.messages,
            "recording_dropped": status.dropped,
        }


def recorder_handle(
    config: TableConfig,
    rules: RuleSet,
    mode: str,
    *,
    journal: RecordedJournal,
    clock: Clock,
    post: ReportSink,
) -> RecorderHandle:
    """Make the recorder of a table; its warnings go to `post`.

    The present journal becomes the history of the first segment; later entries are recorded.
    """
    if not (mode == "live" if config.recording.enabled is None else config.recording.enabled):
        return RecorderHandle()
    session = recording_session(config, rules, mode, clock)
    session = session._replace(journal_id=journal_id(next(journal.read(), None)))
    segments = SessionWriter(
        _segment_store(config, journal.disk),
        session,
        recorded_sources(config),
        _segment_limits(config.recording),
        history_of(config.journal.file, journal.head().seq),
    )
    recorder = Recorder(segments, clock, lambda error: post(_recorder_warning(error, clock)))
    journal.on_written = recorder.wrote
    return RecorderHandle(recorder)


def history_of(journal: Path, last: int) -> Iterator[bytes]:
    """The entries of a journal up to `last`, encoded; its file is opened with the first."""
    reader = JournalReader(journal)
    try:
        for entry in takewhile(lambda entry: entry.seq <= last, reader.read()):
            if isinstance(entry, Entry):
                yield write_entry(entry)
    finally:
        reader.close()


def recordings_folder(config: TableConfig) -> Path:
    """Return the folder of a table's recordings."""
    return config.recording.folder or config.journal.undated.with_suffix(".recordings")


def _segment_store(config: TableConfig, disk: SideDisk = MACHINE_DISK) -> SegmentStore:
    """Find the folder of a table's recordings, and how much it may hold."""
    section = config.recording
    folder = recordings_folder(config)
    keep = RetentionPolicy(
        ring_us=section.keep_minutes * 60 * 10**6,
        pinned_us=section.pinned_days * DAY_US,
        budget_bytes=section.disk_budget_mb << 20,
        reserve_bytes=section.reserve_mb << 20,
    )
    return SegmentStore(folder, keep, disk)


def _segment_limits(section: RecordingSection) -> SegmentLimits:
    """Tell when a segment ends."""
    size = min(_SEGMENT_BYTES_MAX, (section.disk_budget_mb << 20) // SHARE)
    return SegmentLimits(section.segment_minutes * 60 * 10**9, size)


def _recorder_warning(error: RecordingError, clock: Clock) -> Report:
    """Tell the pit that something is not recorded; the table goes on."""
    params = tuple((key, value) for key, value in error.params.items() if key != "path")
    return Report(NAME, clock.mono_ns(), (), (Trouble(error.code, params, hold=False),))
