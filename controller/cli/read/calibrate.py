"""`stand17 calibrate`: from pictures of a fixed camera to a layout file, or to the reasons against it."""

import datetime
from math import isfinite
from pathlib import Path
from typing import Final, NamedTuple

from rich.table import Table

from controller.cli.json_words import print_answer
from controller.cli.output import console, echo, error_console
from controller.cli.read.calibrate_inputs import CalibrateArgs, frames_of, known_print, wanted_of
from controller.i18n import text
from controller.outputs import Outputs
from controller.ports import SystemClock
from vision.calibration import (
    CalibrationOutcome,
    CalibrationRecord,
    Complaint,
    Zone,
    ZoneMeasurement,
    calibrate_by_print,
    calibrate_by_sheets,
    reference_beside,
    write_layout,
    write_outcome,
    write_sheet,
)
from vision.pictures import load_picture

_MICROSECONDS: Final = 1_000_000


class CalibrationFiles(NamedTuple):
    """The output files, whether existing ones are replaced, and the picture of the empty table."""

    out: Path
    empty: Path | None
    picture: Path | None
    force: bool


def calibrate_camera(
    frames: tuple[Path, ...], args: CalibrateArgs, files: CalibrationFiles, tongue: str, *, as_json: bool
) -> int:
    """Write the layout, or say why it is refused; the exit status of the command. Raises `TableError`."""
    outcome = _calibrate(frames, args, files)
    (_print_json if as_json else _print_outcome)(outcome, files.out, tongue)
    return 1 if outcome.refused else 0


def _calibrate(paths: tuple[Path, ...], args: CalibrateArgs, files: CalibrationFiles) -> CalibrationOutcome:
    """Calibrate, and write the layout when nothing refuses it."""
    named = (*paths, args.plan, args.printed, files.empty)
    outputs = Outputs(tuple(path for path in named if path is not None), files.force)
    outputs.require_free(files.picture, reference_beside(files.out), files.out)
    wanted = wanted_of(args)
    frames = frames_of(paths, args)
    empty = load_picture(files.empty) if files.empty is not None else frames[0].image
    if args.printed is None:
        outcome = calibrate_by_sheets(frames, wanted)
    else:
        outcome = calibrate_by_print(frames, known_print(args.printed, args.plan), wanted)
    if empty.shape != frames[0].image.shape:
        other = Complaint("FRAME_SIZE", {"frame": str(files.empty)})
        outcome = outcome._replace(complaints=(*outcome.complaints, other))
    if files.picture is not None:
        write_outcome(files.picture, frames[0].image, outcome, outputs)
    if not outcome.refused:
        made = CalibrationRecord("sheet" if args.printed is None else "print", _today())
        write_layout(files.out, outcome, wanted.cards, empty, made, outputs=outputs)
    return outcome


def _today() -> str:
    moment = datetime.datetime.fromtimestamp(SystemClock().utc_us() / _MICROSECONDS, datetime.UTC)
    return moment.date().isoformat()


def print_sheet(named: Path, sheet: str, tongue: str, *, force: bool, as_json: bool) -> None:
    """Write a sheet to print."""
    path = write_sheet(named, sheet, Outputs(force=force))
    if as_json:
        print_answer("calibration_sheet", file=str(path), sheet=sheet)
        return
    echo(text("calibrate.written", {"path": str(path)}, tongue))
    echo(text("calibrate.print_true", language=tongue))


def _print_json(outcome: CalibrationOutcome, out: Path, tongue: str) -> None:
    complaints = (
        {"code": one.code, "params": one.params, "refuses": one.refuses, "message": _sentence(one, tongue)}
        for one in outcome.complaints
    )
    print_answer(
        "calibration",
        file=None if outcome.refused else str(out),
        found=[target.name for target in outcome.targets],
        residual_px=None if outcome.fit is None else round(outcome.fit.residual_px, 3),
        zones=[_zone_row(one) for one in outcome.zones],
        complaints=list(complaints),
    )


def _zone_row(one: ZoneMeasurement) -> dict[str, object]:
    measured = {"px_per_mm": one.px_per_mm, "rank_px": one.rank_px, "spread_mm": one.spread_mm}
    # A zone that is cut off has no spread, and JSON has no infinity.
    figures = {name: round(value, 3) if isfinite(value) else None for name, value in measured.items()}
    return {"kind": one.zone.kind, "box": one.zone.box, "whole": one.whole, **figures}


def _print_outcome(outcome: CalibrationOutcome, out: Path, tongue: str) -> None:
    """Print figures on standard output, complaints on standard error."""
    if outcome.fit is not None:
        things = ", ".join(target.name for target in outcome.targets)
        found = {"things": things, "px": f"{outcome.fit.residual_px:.2f}"}
        echo(text("calibrate.found", dict(found), tongue))
    if outcome.zones:
        _print_zones(outcome, tongue)
    for complaint in outcome.complaints:
        style, head = (
            ("red", "") if complaint.refuses else ("yellow", text("calibrate.warning", {}, tongue) + ": ")
        )
        error_console().print(head + _sentence(complaint, tongue), style=style)
    if outcome.refused:
        error_console().print(text("calibrate.refused", {}, tongue), style="red")
    else:
        echo(text("calibrate.written", {"path": str(out)}, tongue))


def _print_zones(outcome: CalibrationOutcome, tongue: str) -> None:
    table = Table()
    for head in ("zone", "scale", "index", "spread"):
        table.add_column(text(f"calibrate.{head}", {}, tongue), justify="left" if head == "zone" else "right")
    for one in outcome.zones:
        figures = (f"{one.px_per_mm:.2f}", f"{one.rank_px:.1f}", f"{one.spread_mm:.1f}")
        cut = text("calibrate.cut", {}, tongue)
        table.add_row(_zone_words(one.zone, tongue), *(figures if one.whole else (cut, "-", "-")))
    console().print(table)


def _sentence(complaint: Complaint, tongue: str) -> str:
    """The complaint in words, zones named in the reader's language."""
    named = [
        _zone_words(zone, tongue) + (f" ({figure})" if figure else "") for zone, figure in complaint.zones
    ]
    params = complaint.params | ({"zones": ", ".join(named)} if named else {})
    return text(f"calibrate.{complaint.code}", params, tongue)


def _zone_words(zone: Zone, tongue: str) -> str:
    return text(f"calibrate.zone_name.{zone.kind}", {"box": zone.box or 0}, tongue)
