"""Commands on the devices of a machine: list and try them, examine a table, record without a table."""

import math
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.text import Text

from controller.cli.application import AsJson, Config
from controller.cli.output import (
    console,
    echo,
    echo_lines,
    headed,
    print_answer,
    print_error,
    print_object,
    terminal_tongue,
)
from controller.i18n import Language, text
from controller.ports import Clock, FrameSource, Health, ObservationSource, SystemClock, Tap, TapKind
from drivers.inventory import Attached, attached

if TYPE_CHECKING:
    from controller.config import TableConfig
    from controller.devices.trial import DeviceFinding
    from controller.main.doctor import CheckResult
    from controller.recording.format import RecordingError
    from controller.recording.recorder import Recorder


def devices(
    config: Annotated[Path | None, typer.Argument(help="Also try the devices of this configuration.")] = None,
    seconds: Annotated[float, typer.Option(help="How long to listen to each, at most.", min=0.1)] = 3.0,
    as_json: AsJson = False,
) -> None:
    """List the devices attached to this machine, and try those of a table's configuration.

    Exit status 0 when no configured device has a fault, 1 otherwise. A running table holds its devices: they
    are reported as busy then.
    """
    found = attached()
    tried = _try_all(config, seconds, quiet=as_json) if config else []
    if as_json:
        print_object(_as_json(found, tried))
    else:
        print_attached(found)
        _print_tried(tried)
    raise typer.Exit(1 if any(finding.problem for finding in tried) else 0)


def _try_all(config: Path, seconds: float, *, quiet: bool) -> "list[DeviceFinding]":
    """Run each configured device's own driver for a moment, and say which."""
    from controller.config import load_config
    from controller.devices.trial import try_devices

    loaded = load_config(config)

    with _spinner(quiet=quiet) as progress:
        task = progress.add_task("", total=None)

        def print_health(health: Health) -> None:
            progress.update(task, description=text("devices.trying", {"name": health.name}))

        return try_devices(loaded, SystemClock(), seconds, print_health)


def _as_json(found: list[Attached], tried: "list[DeviceFinding]") -> dict[str, Any]:
    return {
        "type": "devices",
        "attached": [device._asdict() for device in found],
        "configured": [
            finding.health._asdict()
            | {
                "counters": dict(finding.health.counters),
                "settings": dict(finding.health.settings),
                "problem": finding.problem,
            }
            for finding in tried
        ],
    }


def print_attached(found: list[Attached], *, err: bool = False) -> None:
    """Print the devices attached to this machine, on standard error with `err`."""
    shown = console(err=err, highlight=False)
    if not found:
        shown.print(text("devices.none"))
        return
    table = headed("devices", "kind", "name", "problem", title=text("devices.attached"))
    for device in found:
        table.add_row(text(f"devices.kind.{device.kind}"), device.name, _words(device.problem))
    shown.print(table)


def _print_tried(tried: "list[DeviceFinding]") -> None:
    if not tried:
        return
    table = headed("devices", "device", "name", "state", "set", "problem", title=text("devices.configured"))
    for health, problem, _ in tried:
        state, is_set = text(f"devices.state.{health.state}"), _settings(health)
        table.add_row(f"{health.name} ({health.kind})", health.port, state, is_set, _words(problem))
    console(highlight=False).print(table)


def _settings(health: Health) -> str:
    return "\n".join(f"{text(f'devices.set.{name}')}: {value}" for name, value in health.settings)


def _words(problem: str) -> str:
    return text(f"devices.problem.{problem}") if problem else text("devices.fine")


COLOURS: Final = {"fine": "green", "advice": "yellow", "problem": "red"}


def doctor(
    config: Config,
    seconds: Annotated[
        float, typer.Option(help="How long to listen to each device, at most; 0: to none.", min=0)
    ] = 3.0,
    language: Annotated[Language | None, typer.Option(help="The terminal's own when left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try everything that a table needs before it opens.

    Exit status 0 when nothing keeps the table from opening, 1 when something does, 2 when the configuration
    cannot be read. A table that runs has its port and devices to itself: they are reported as busy then.
    """
    tongue = language or terminal_tongue()
    from controller.config import load_config

    loaded = load_config(config)
    from controller.main.doctor import examine

    found = examine(loaded, config.parent, SystemClock(), seconds)
    is_ok = all(finding.level != "problem" for finding in found)
    if as_json:
        fields = {"type": "doctor", "ok": is_ok, "findings": [one.as_json(tongue) for one in found]}
        print_object(fields)
    else:
        print_findings(found, tongue)
        echo(text("doctor.ok" if is_ok else "doctor.not_ok", language=tongue))
    raise typer.Exit(0 if is_ok else 1)


def print_findings(found: "list[CheckResult]", tongue: str) -> None:
    """Print the findings of an examination as a table."""
    table = headed("doctor", "check", "level", "subject", "what", language=tongue)
    for one in found:
        level = text(f"doctor.level.{one.level}", language=tongue)
        words = "" if one.key == "doctor.FINE" else one.words(tongue)
        name = text(f"doctor.check.{one.check}", language=tongue)
        table.add_row(name, Text(level, COLOURS[one.level]), one.subject, words)
    console(highlight=False).print(table)


_LOOK_S: Final = 0.2
_ENDLESS: Final = 1 << 62


def record(
    config: Config,
    out: Annotated[Path | None, typer.Option(help="A file, or a folder for files of five minutes.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0.1, help="Stop after so long.")] = None,
    as_json: AsJson = False,
) -> None:
    """Record what the devices of a configuration send and are sent, until Ctrl-C. No journal is touched.

    A recording holds every card that the devices see: only its owner may read it. Exit status 2 when nothing
    can be recorded.
    """
    from controller.config import load_config
    from controller.rules import load_rules

    loaded, clock = load_config(config), SystemClock()
    from controller.devices.kept import recorded_sources, recording_session
    from controller.recording.format import SUFFIX, WITHOUT_TABLE, RecordingError
    from controller.recording.recorder import Recorder, SegmentLimits, SessionWriter
    from controller.recording.segments import SingleFileStorage, stem_of

    rules = load_rules(loaded.table.rules, loaded.table.rule_overrides, config.parent)
    session = recording_session(loaded, rules, WITHOUT_TABLE, clock)
    named = out is not None and out.suffix == SUFFIX and not out.is_dir()
    path = out if out is not None and named else (out or Path()) / stem_of(session)
    place = SingleFileStorage(path, loaded.recording.reserve_mb << 20)
    limits = SegmentLimits(_ENDLESS, _ENDLESS) if named else SegmentLimits()
    refused: list[RecordingError] = []
    segments = SessionWriter(place, session, recorded_sources(loaded), limits)
    recorder = Recorder(segments, clock, refused.append)
    ready = () if as_json else (text("record.ready", {"table": loaded.table.name, "path": str(path)}),)
    began_s = time.monotonic()
    end_s = began_s + (seconds or math.inf)
    rows = _listen(loaded, clock, recorder, refused, end_s=end_s, ready=ready)
    took_s, status, files = time.monotonic() - began_s, recorder.status(), [str(one) for one in place.files()]
    counts: dict[str, Any] = {name: getattr(status, name) for name in ("messages", "bytes", "dropped")}
    if as_json:
        table, rounded_s = loaded.table.name, round(took_s, 3)
        print_answer("record", table=table, files=files, seconds=rounded_s, devices=rows, **counts)
    else:
        echo_lines(map(_line, rows))
        sums = {"kilobytes": status.bytes // 1000, "seconds": round(took_s), "files": ", ".join(files)}
        echo(text("record.done", counts | sums))


def _listen(
    config: "TableConfig",
    clock: Clock,
    recorder: "Recorder",
    refused: "list[RecordingError]",
    *,
    end_s: float,
    ready: Sequence[str],
) -> list[dict[str, Any]]:
    """Say `ready`, record until `end_s` or a signal, and show the counts; return those of each device.

    Silent without `ready`. Raises the error with which the recorder has `refused`; drops are only printed.
    """
    messages, sizes = Counter[str](), Counter[str]()

    def tap(source: str, kind: TapKind, mono_ns: int, data: bytes) -> None:
        # Each device calls from one thread, and has its own counts.
        messages[source] += 1
        sizes[source] += len(data)
        recorder(source, kind, mono_ns, data)

    def row(device: ObservationSource | FrameSource) -> dict[str, Any]:
        name, state = device.health().name, device.health().state
        return {"name": name, "state": state, "messages": messages[name], "bytes": sizes[name]}

    devices = _devices(config, clock, tap)
    echo_lines(ready)
    with _stop_signal() as stop, _spinner(quiet=not ready) as progress:
        recorder.open()
        try:
            for device in devices:
                device.open()
            lines = [progress.add_task("", total=None) for _ in devices]
            while not stop.wait(_LOOK_S) and time.monotonic() < end_s:
                _require_recording(refused)
                for line, device in zip(lines, devices, strict=True):
                    progress.update(line, description=_line(row(device)))
            rows = [row(device) for device in devices]
        finally:
            for device in devices:
                device.close()
            recorder.close()
    _require_recording(refused)
    return rows


def _require_recording(refused: "list[RecordingError]") -> None:
    """Raise the recorder's error; dropped messages are only printed."""
    while refused:
        error = refused.pop(0)
        if error.code != "RECORDING_DROPS":
            raise error
        print_error(error)


def _devices(config: "TableConfig", clock: Clock, tap: Tap) -> list[ObservationSource | FrameSource]:
    """Build the live table's drivers; their reports go to the recorder alone."""
    from controller.devices.cameras.setup import camera_setups
    from controller.devices.inputs import input_driver
    from controller.devices.shoes import unread_card_sources

    made: list[ObservationSource | FrameSource] = [*unread_card_sources(config, clock, "record", tap)]
    made += [input_driver(section, clock, lambda *_: None, tap) for section in config.inputs]
    made += [eyes.make(clock, lambda *_: None, tap) for eyes in camera_setups(config)]
    return made


def _line(row: dict[str, Any]) -> str:
    """The state of a device and its counts as text."""
    state = text(f"devices.state.{row['state']}")
    return text("record.device", {**row, "state": state, "kilobytes": row["bytes"] // 1000})


def _spinner(*, quiet: bool) -> Progress:
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    return Progress(*columns, console=console(err=True, quiet=quiet), transient=True)


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
