"""`stand17 calibrate`: from pictures of a fixed camera to a layout file, or to what is wrong."""

import datetime
from math import isfinite
from pathlib import Path
from typing import Annotated, Final, NamedTuple, NoReturn

import typer
from rich.table import Table

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson, Force
from controller.cli.output import console, echo, error_console, print_error
from controller.cli.read.calibrate_inputs import CalibrateArgs, frames_of, known_print, wanted_of
from controller.cli.read.calibrate_shoe import KnownCards, calibrate_shoe
from controller.cli.tongue import terminal_tongue
from controller.domain.errors import ConfigError, TableError
from controller.i18n import Language, text
from controller.outputs import Outputs
from controller.ports import SystemClock
from vision.calibration import (
    SQUARE_MM,
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

MICROSECONDS: Final = 1_000_000
OPTION: Final = typer.Option


def calibrate(
    frames: Annotated[list[Path] | None, typer.Argument(help="Pictures, or a configuration.")] = None,
    *,
    out: Annotated[Path, OPTION(help="The layout file to write.")] = Path("layout.toml"),
    plan: Annotated[Path | None, OPTION(help="Where the boxes are, in millimetres.")] = None,
    mark: Annotated[list[str] | None, OPTION(help="BOX=X,Y: a box by its pixel; 0 is the dealer.")] = None,
    reach_mm: Annotated[float, OPTION(help="Radius of a marked box.", min=20, max=1000)] = 130,
    boxes: Annotated[str | None, OPTION(help="Only these boxes of the plan, as 0,1,2.")] = None,
    print_: Annotated[Path | None, OPTION("--print", help="The felt's art, or an earlier layout.")] = None,
    square_mm: Annotated[float, OPTION(help="Square of the sheet, measured.", min=10, max=100)] = SQUARE_MM,
    index_mm: Annotated[
        float | None, OPTION(help="Height of the rank's letter alone: standard 6.5, jumbo 13.", min=2, max=60)
    ] = None,
    empty: Annotated[Path | None, OPTION(help="A picture of the empty table, kept to notice moves.")] = None,
    picture: Annotated[Path | None, OPTION(help="Draw what was found into this PNG or JPEG.")] = None,
    camera: Annotated[str | None, OPTION(help="Which camera of the configuration.")] = None,
    count: Annotated[int, OPTION(help="Pictures to take from the camera.", min=1, max=12)] = 5,
    cards: Annotated[str | None, OPTION(help='shoe: the cards in order, as "As Kd".')] = None,
    card_mm: Annotated[
        float | None, OPTION(help="shoe: a card's side along its way, measured: 63.5.", min=40, max=90)
    ] = None,
    check: Annotated[bool, OPTION("--check", help="shoe: judge, and write nothing onto the board.")] = False,
    make_sheet: Annotated[Path | None, OPTION(help="Write a sheet to print, .pdf or .png.")] = None,
    sheet: Annotated[str, OPTION(help="Which sheet: A4-1 to A4-8, A3-1 to A3-3.")] = "A4-1",
    language: Annotated[Language | None, OPTION(help="The terminal's own when left out.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Find out where a camera sees the felt and the boxes, from printed sheets or the felt's own print.

    `calibrate shoe CONFIG` judges a shoe reader that counts by known cards drawn through it.

    Exit status 0: the layout was written. 1: the set-up is refused, with what to do; nothing was written.
    2: a file that could not be used.
    """
    tongue = language or terminal_tongue()
    if frames and str(frames[0]) == "shoe":
        known = KnownCards(tuple((cards or "").split()), card_mm)
        _calibrate_shoe(frames[1:], known, tongue, check=check, as_json=as_json)
    args = CalibrateArgs(plan, tuple(mark or ()), reach_mm, boxes, print_, square_mm, index_mm, camera, count)
    try:
        if make_sheet is not None:
            _print_sheet(make_sheet, sheet, tongue, force=force, as_json=as_json)
            return
        outcome = _calibrate(tuple(frames or ()), args, CalibrationFiles(out, empty, picture, force))
    except TableError as error:
        print_error(error, language=tongue)
        raise typer.Exit(2) from error
    (_print_json if as_json else _print_outcome)(outcome, out, tongue)
    raise typer.Exit(1 if outcome.refused else 0)


def _calibrate_shoe(
    paths: list[Path], cards: KnownCards, tongue: str, *, check: bool, as_json: bool
) -> NoReturn:
    """Judge the configured reader; the exit status is that of `calibrate`."""
    try:
        if len(paths) != 1:
            raise ConfigError("COMMAND_LINE", reason="calibrate shoe CONFIG")
        is_good = calibrate_shoe(paths[0], cards, tongue, check=check, as_json=as_json)
    except TableError as error:
        print_error(error, language=tongue)
        raise typer.Exit(2) from error
    raise typer.Exit(0 if is_good else 1)


class CalibrationFiles(NamedTuple):
    """What is written, also over files that are there, and the picture of the empty table."""

    out: Path
    empty: Path | None
    picture: Path | None
    force: bool


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
    moment = datetime.datetime.fromtimestamp(SystemClock().utc_us() / MICROSECONDS, datetime.UTC)
    return moment.date().isoformat()


def _print_sheet(named: Path, sheet: str, tongue: str, *, force: bool, as_json: bool) -> None:
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
    # A zone that is cut off has no spread, and JSON no word for what is endless.
    figures = {name: round(value, 3) if isfinite(value) else None for name, value in measured.items()}
    return {"kind": one.zone.kind, "box": one.zone.box, "whole": one.whole, **figures}


def _print_outcome(outcome: CalibrationOutcome, out: Path, tongue: str) -> None:
    """Figures on standard output, what is wrong on standard error."""
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
