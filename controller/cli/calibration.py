"""Runs `stand17 calibrate`: from pictures of a fixed camera to a layout file, or the reasons against it."""

import datetime
import re
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from rich.table import Table

from controller.cli.output import console, echo, error_console, print_answer
from controller.config import CameraSection, load_config
from controller.devices.cameras.setup import camera_factory
from controller.domain import ConfigError, DeviceError
from controller.i18n import text
from controller.outputs import Outputs
from controller.ports import SystemClock
from vision.calibration import (
    BOXES_MAX,
    SQUARE_MM,
    CalibrationInputs,
    CalibrationOutcome,
    CalibrationPicture,
    CalibrationRecord,
    CardsPart,
    Complaint,
    FeltPlane,
    FeltPrint,
    Plan,
    Zone,
    ZoneMeasurement,
    art_print,
    calibrate_by_print,
    calibrate_by_sheets,
    check_zones,
    disc,
    load_layout,
    load_plan,
    load_reference,
    picture_print,
    reference_beside,
    write_layout,
    write_outcome,
    write_sheet,
)
from vision.pictures import load_picture

_MICROSECONDS: Final = 1_000_000


class CalibrateArgs(NamedTuple):
    """The options of `stand17 calibrate`; see the command's help.

    `picture` is drawn with the outcome, `empty` is a picture of the empty table.
    """

    plan: Path | None = None
    marks: tuple[str, ...] = ()
    reach_mm: float = 130
    boxes: str | None = None
    printed: Path | None = None
    square_mm: float | None = None
    index_mm: float | None = None
    camera: str | None = None
    pictures: int = 5
    out: Path = Path("layout.toml")
    empty: Path | None = None
    picture: Path | None = None
    force: bool = False


def calibrate_camera(paths: tuple[Path, ...], args: CalibrateArgs, tongue: str, *, as_json: bool) -> int:
    """Write the layout, or say why it is refused; the exit status of the command. Raises `TableError`."""
    named = (*paths, args.plan, args.printed, args.empty)
    outputs = Outputs(tuple(path for path in named if path is not None), args.force)
    outputs.require_free(args.picture, reference_beside(args.out), args.out)
    wanted = wanted_of(args)
    frames = _frames_of(paths, args)
    empty = load_picture(args.empty) if args.empty is not None else frames[0].image
    if args.printed is None:
        outcome = calibrate_by_sheets(frames, wanted)
    else:
        outcome = calibrate_by_print(frames, _known_print(args.printed, args.plan), wanted)
    if empty.shape != frames[0].image.shape:
        other = Complaint("FRAME_SIZE", {"frame": str(args.empty)})
        outcome = outcome._replace(complaints=(*outcome.complaints, other))
    if args.picture is not None:
        write_outcome(args.picture, frames[0].image, outcome, outputs)
    if not outcome.refused:
        today = datetime.datetime.fromtimestamp(SystemClock().utc_us() / _MICROSECONDS, datetime.UTC).date()
        made = CalibrationRecord("sheet" if args.printed is None else "print", today.isoformat())
        write_layout(args.out, outcome, wanted.cards, empty, made, outputs=outputs)
    (_print_json if as_json else _print_outcome)(outcome, args.out, tongue)
    return 1 if outcome.refused else 0


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


_FRAMES_MAX: Final = 12
"""More pictures than these tell nothing new; of more, so many are taken evenly."""

_FIRST_WAIT_S: Final = 10.0

_NEXT_WAIT_S: Final = 3.0

MARK: Final = re.compile(rf"([0-{BOXES_MAX}])=(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)")

_BOX_LIST: Final = re.compile(rf"[0-{BOXES_MAX}](,[0-{BOXES_MAX}])*")


def _frames_of(paths: tuple[Path, ...], asked: CalibrateArgs) -> list[CalibrationPicture]:
    """Return the pictures. Raises `TableError` for an unusable picture, and without any."""
    if not paths:
        raise ConfigError("CALIBRATE_NO_FRAMES")
    if len(paths) == 1 and paths[0].suffix.lower() == ".toml":
        return pictures_of(paths[0], asked.camera, asked.pictures)
    chosen = np.unique(np.linspace(0, len(paths) - 1, min(len(paths), _FRAMES_MAX)).round().astype(int))
    return [CalibrationPicture(str(paths[at]), load_picture(paths[at])) for at in chosen]


def pictures_of(
    config: Path, camera: str | None, count: int, before: Callable[[int], None] = lambda _: None
) -> list[CalibrationPicture]:
    """Return `count` pictures of the configured camera of this name, or of the only one.

    The table is closed. `before` is called before each of them, from 1 on.
    """
    return _from_camera(_section(config, camera), count, before)


def _section(path: Path, name: str | None) -> CameraSection:
    sections = {section.name: section for section in load_config(path).table_cameras}
    if name is None and len(sections) == 1:
        return next(iter(sections.values()))
    if name not in sections:
        names = ", ".join(sections) or "-"
        raise ConfigError("CAMERA_UNKNOWN", path=str(path), name=name or "?", names=names)
    return sections[name]


def _from_camera(
    section: CameraSection, count: int, before: Callable[[int], None]
) -> list[CalibrationPicture]:
    """Take pictures from a camera as the table would open it, without its earlier calibration."""
    section = section.model_copy(update={"reference": None, "layout": None})
    source = camera_factory(section)(SystemClock(), lambda *_: None, None)
    frames: list[CalibrationPicture] = []
    after = 0
    source.open()
    try:
        while len(frames) < count:
            before(len(frames) + 1)
            found = source.wait(after, _NEXT_WAIT_S if frames else _FIRST_WAIT_S)
            if found is None:
                raise DeviceError("CAMERA_NO_PICTURES", name=section.name, got=len(frames), wanted=count)
            after = found.number
            frames.append(CalibrationPicture(f"{section.name} {len(frames) + 1}", found.image.copy()))
    finally:
        source.close()
    return frames


def wanted_of(asked: CalibrateArgs) -> CalibrationInputs:
    """Zones, cards and sheets of the plan, the marks, or the earlier layout, in this order."""
    plan = load_plan(asked.plan) if asked.plan is not None else None
    cards = CardsPart()
    given: tuple[Zone, ...] = ()
    if plan is not None:
        cards, given = plan.cards, plan.zone
    elif asked.printed is not None and _is_layout(asked.printed):
        layout = load_layout(asked.printed)
        cards, given = layout.cards, layout.zone
    if asked.index_mm is not None:
        cards = cards.model_copy(update={"rank_mm": asked.index_mm})
    places = () if plan is None else plan.sheet
    square_mm = SQUARE_MM if asked.square_mm is None else asked.square_mm
    return CalibrationInputs(_zones(_chosen(given, asked.boxes), asked), cards, places, square_mm)


def _chosen(zones: tuple[Zone, ...], boxes: str | None) -> tuple[Zone, ...]:
    """Return the boxes for this camera; zones that are no box stay."""
    if boxes is None:
        return zones
    if not _BOX_LIST.fullmatch(boxes):
        raise ConfigError("CALIBRATE_MARK", mark=boxes)
    numbers = {int(number) for number in boxes.split(",")}
    return tuple(zone for zone in zones if zone.number is None or zone.number in numbers)


def _zones(given: tuple[Zone, ...], asked: CalibrateArgs) -> Callable[[FeltPlane], tuple[Zone, ...]]:
    """The zones once it is known where a marked pixel lies; a marked box replaces that of the plan."""
    marks = dict(_mark(mark) for mark in asked.marks)
    if not marks and not given:
        raise ConfigError("CALIBRATE_NO_ZONES")
    kept = tuple(zone for zone in given if zone.number not in marks)

    def zones(plane: FeltPlane) -> tuple[Zone, ...]:
        places = {box: plane.to_mm(np.array([pixel]))[0] for box, pixel in sorted(marks.items())}
        found = (*kept, *(disc(box, place, asked.reach_mm) for box, place in places.items()))
        check_zones(found)
        return found

    return zones


def _mark(words: str) -> tuple[int, tuple[float, float]]:
    found = MARK.fullmatch(words.replace(" ", ""))
    if found is None:
        raise ConfigError("CALIBRATE_MARK", mark=words)
    return int(found[1]), (float(found[2]), float(found[3]))


def _known_print(path: Path, plan_path: Path | None) -> FeltPrint:
    """Return the print of the layout: its art, sized by the plan, or the picture of an earlier layout.

    Raises `ConfigError` CALIBRATE_NO_ART, and as the readers of the files.
    """
    if _is_layout(path):
        layout = load_layout(path)
        image = load_reference(layout, path)
        if image is None:
            raise ConfigError("CALIBRATE_NO_ART", path=str(path))
        return picture_print(image, layout.flat)
    plan: Plan | None = load_plan(plan_path) if plan_path is not None else None
    if plan is None or plan.art is None:
        raise ConfigError("CALIBRATE_NO_ART", path=str(path))
    return art_print(load_picture(path), plan.art.width_mm, plan.art.at_mm)


def _is_layout(path: Path) -> bool:
    return path.suffix.lower() == ".toml"
