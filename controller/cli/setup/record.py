"""`stand17 record`: record the devices of a configuration without running a table."""

import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import console, echo, print_error
from controller.config import TableConfig, load_config
from controller.devices.inputs import input_driver
from controller.i18n import text
from controller.ports import Clock, FrameSource, ObservationSource, SystemClock, Tap, TapKind
from controller.recording.format import SUFFIX, WITHOUT_TABLE, RecordingError
from controller.recording.recorder import Recorder, SegmentLimits, SessionWriter
from controller.recording.segments import SingleFileStorage, stem_of
from controller.rules import load_rules

LOOK_S: Final = 0.2
_ENDLESS: Final = SegmentLimits(1 << 62, 1 << 62)

_RecordedDevice = ObservationSource | FrameSource


class CountingTap:
    """A tap that counts the messages to the recorder, by device."""

    def __init__(self, recorder: Tap) -> None:
        """Begin at zero."""
        self._recorder = recorder
        self.messages: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()

    def __call__(self, source: str, kind: TapKind, mono_ns: int, data: bytes) -> None:
        """Count and record a message; each device calls from one thread, and has its own counts."""
        self.messages[source] += 1
        self.bytes[source] += len(data)
        self._recorder(source, kind, mono_ns, data)


def record(
    config: Annotated[Path, typer.Argument(help="The table's configuration, a TOML file.")],
    out: Annotated[Path | None, typer.Option(help="A file, or a folder for files of five minutes.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0.1, help="Stop after so long.")] = None,
    as_json: AsJson = False,
) -> None:
    """Record what the devices of a configuration send and are sent, until Ctrl-C. No journal is touched.

    A recording holds every card that the devices see: only its owner may read it. Exit status 2 when nothing
    can be recorded.
    """
    loaded, clock = load_config(config), SystemClock()
    from controller.devices.kept import recorded_sources, recording_session

    rules = load_rules(loaded.table.rules, loaded.table.rule_overrides, config.parent)
    session = recording_session(loaded, rules, WITHOUT_TABLE, clock)
    named = out is not None and out.suffix == SUFFIX and not out.is_dir()
    path = out if out is not None and named else (out or Path()) / stem_of(session)
    place = SingleFileStorage(path, loaded.recording.reserve_mb << 20)
    refused: list[RecordingError] = []
    segments = SessionWriter(place, session, recorded_sources(loaded), _ENDLESS if named else SegmentLimits())
    recorder = Recorder(segments, clock, refused.append)
    tap = CountingTap(recorder)
    devices = _devices(loaded, clock, tap)
    if not as_json:
        echo(text("record.ready", {"table": loaded.table.name, "path": str(path)}))
    began_s = time.monotonic()
    end_s = None if seconds is None else began_s + seconds
    with _stop_signal() as stop:
        recorder.open()
        try:
            found = _listen(devices, tap, refused, partial(_go_on, stop, end_s), quiet=as_json)
        finally:
            for device in devices:
                device.close()
            recorder.close()
    _require_recording(refused)
    took_s = time.monotonic() - began_s
    if as_json:
        _print_json(loaded.table.name, recorder, took_s, place, found)
    else:
        _sum_up(recorder, took_s, place)


def _devices(config: TableConfig, clock: Clock, tap: Tap) -> list[_RecordedDevice]:
    """Build the live table's drivers; their reports go to the recorder alone."""
    from controller.devices.cameras.setup import camera_setups
    from controller.devices.shoes import unread_card_sources

    made: list[_RecordedDevice] = [*unread_card_sources(config, clock, "record", tap)]
    made += [input_driver(section, clock, lambda *_: None, tap) for section in config.inputs]
    made += [eyes.make(clock, lambda *_: None, tap) for eyes in camera_setups(config)]
    return made


def _go_on(stop: threading.Event, end_s: float | None) -> bool:
    """Wait a moment; False when it is time to stop."""
    return not stop.wait(LOOK_S) and (end_s is None or time.monotonic() < end_s)


def _listen(
    devices: list[_RecordedDevice],
    tap: CountingTap,
    refused: list[RecordingError],
    go_on: Callable[[], bool],
    *,
    quiet: bool,
) -> list[dict[str, object]]:
    """Show the messages until stopped; return the counts of each device. Raises the recorder's error."""
    for device in devices:
        device.open()
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console(err=True, quiet=quiet), transient=True) as progress:
        lines = {device.health().name: progress.add_task("", total=None) for device in devices}
        while go_on():
            _require_recording(refused)
            for device in devices:
                progress.update(lines[device.health().name], description=_line(device, tap))
    if not quiet:
        for device in devices:
            echo(_line(device, tap))
    return [_row(device, tap) for device in devices]


def _require_recording(refused: list[RecordingError]) -> None:
    """Raise the recorder's error; dropped messages are only printed."""
    while refused:
        error = refused.pop(0)
        if error.code != "RECORDING_DROPS":
            raise error
        print_error(error)


def _line(device: _RecordedDevice, tap: CountingTap) -> str:
    """Return the state of a device and its counts as text."""
    health = device.health()
    return text(
        "record.device",
        {
            "name": health.name,
            "state": text(f"devices.state.{health.state}"),
            "messages": tap.messages[health.name],
            "kilobytes": tap.bytes[health.name] // 1000,
        },
    )


def _row(device: _RecordedDevice, tap: CountingTap) -> dict[str, object]:
    health = device.health()
    counted = {"messages": tap.messages[health.name], "bytes": tap.bytes[health.name]}
    return {"name": health.name, "state": health.state, **counted}


def _print_json(
    table: str,
    recorder: Recorder,
    took_s: float,
    place: SingleFileStorage,
    devices: list[dict[str, object]],
) -> None:
    status = recorder.status()
    print_answer(
        "record",
        table=table,
        files=[str(path) for path in place.files()],
        messages=status.messages,
        bytes=status.bytes,
        dropped=status.dropped,
        seconds=round(took_s, 3),
        devices=devices,
    )


def _sum_up(recorder: Recorder, took_s: float, place: SingleFileStorage) -> None:
    status = recorder.status()
    params: dict[str, str | int] = {
        "messages": status.messages,
        "kilobytes": status.bytes // 1000,
        "seconds": round(took_s),
        "dropped": status.dropped,
        "files": ", ".join(str(path) for path in place.files()),
    }
    echo(text("record.done", params))


@contextmanager
def _stop_signal() -> Iterator[threading.Event]:
    """Make the event that Ctrl-C and SIGTERM set meanwhile."""
    stop = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
