"""`stand17 devices`: the attached devices, by their permanent names, and the fault of each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from controller.cli.json_words import print_object
from controller.cli.options import AsJson
from controller.cli.output import console
from controller.config import TableConfig, load_config
from controller.i18n import text
from controller.ports import Health, SystemClock
from drivers.inventory import Attached, attached

if TYPE_CHECKING:
    from controller.devices.trial import DeviceFinding


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
    tried = _try_all(load_config(config), seconds, quiet=as_json) if config else []
    if as_json:
        print_object(_as_json(found, tried))
    else:
        print_attached(found)
        _print_tried(tried)
    raise typer.Exit(1 if any(finding.problem for finding in tried) else 0)


def _try_all(config: TableConfig, seconds: float, *, quiet: bool) -> "list[DeviceFinding]":
    """Run each configured device's own driver for a moment, and say which."""
    from controller.devices.trial import try_devices

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console(err=True, quiet=quiet), transient=True) as progress:
        task = progress.add_task("", total=None)

        def print_health(health: Health) -> None:
            progress.update(task, description=text("devices.trying", {"name": health.name}))

        return try_devices(config, SystemClock(), seconds, print_health)


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
    table = Table(title=text("devices.attached"), title_justify="left")
    for head in ("kind", "name", "problem"):
        table.add_column(text(f"devices.{head}"), overflow="fold")
    for device in found:
        table.add_row(text(f"devices.kind.{device.kind}"), device.name, _words(device.problem))
    shown.print(table)


def _print_tried(tried: "list[DeviceFinding]") -> None:
    if not tried:
        return
    table = Table(title=text("devices.configured"), title_justify="left")
    for head in ("device", "name", "state", "set", "problem"):
        table.add_column(text(f"devices.{head}"), overflow="fold")
    for health, problem, _ in tried:
        state, is_set = text(f"devices.state.{health.state}"), _settings(health)
        table.add_row(f"{health.name} ({health.kind})", health.port, state, is_set, _words(problem))
    console(highlight=False).print(table)


def _settings(health: Health) -> str:
    return "\n".join(f"{text(f'devices.set.{name}')}: {value}" for name, value in health.settings)


def _words(problem: str) -> str:
    return text(f"devices.problem.{problem}") if problem else text("devices.fine")
