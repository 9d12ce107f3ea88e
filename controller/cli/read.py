"""`stand17 read`, `calibrate` and `enrol`: their options. Named files come first, then the reader."""

import errno
import os
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.application import AsJson, CameraName, Force
from controller.cli.output import print_error, terminal_tongue
from controller.domain import ConfigError, TableError
from controller.i18n import Language

OPTION: Final = typer.Option


def read(
    images: Annotated[list[Path], typer.Argument(help="Pictures, JPEG or PNG.")],
    json_out: Annotated[bool, OPTION("--json", help="Print one JSON object a picture.")] = False,
    layout: Annotated[Path | None, OPTION("--layout", help="The camera's layout file.")] = None,
    *,
    sequence: Annotated[
        bool, OPTION("--sequence", help="The pictures are frames of one resting camera, in order.")
    ] = False,
    deck: Annotated[Path | None, OPTION("--deck", help="The profile of the deck, by `enrol`.")] = None,
    fps: Annotated[float, OPTION("--fps", min=0.1, help="Frames a second of a sequence.")] = 25.0,
) -> None:
    """Read the cards in pictures. An uncertain card is listed as unclear, never as a card.

    Exit status 0 when every picture could be opened, 1 when one could not (the others are still read),
    2 when the model is missing or changed, or layout or profile cannot be used. With a layout each card gets
    its box, its size is known, and anything of another size is unclear. With a profile a card that does not
    look like its prints has no name, and no other exposure is read: the profile was proven without them.
    For a sequence, each frame lists the cards that are certain by then, each with a permanent number.
    """
    try:
        _require(layout, "LAYOUT_MISSING")
        _require(deck, "DECK_MISSING")
        if not any(path.exists() for path in images):
            raise typer.Exit(max(_refused(ConfigError("PICTURE_MISSING", file=str(path))) for path in images))
        from controller.cli.pictures import read_pictures

        failures = read_pictures(
            images, as_json=json_out, layout=layout, sequence=sequence, deck=deck, fps=fps
        )
    except ConfigError as error:
        raise typer.Exit(_refused(error)) from error
    raise typer.Exit(1 if failures else 0)


def calibrate(
    frames: Annotated[list[Path] | None, typer.Argument(help="Pictures, or a configuration.")] = None,
    *,
    out: Annotated[Path, OPTION(help="The layout file to write.")] = Path("layout.toml"),
    plan: Annotated[Path | None, OPTION(help="Where the boxes are, in millimetres.")] = None,
    mark: Annotated[list[str] | None, OPTION(help="BOX=X,Y: a box by its pixel; 0 is the dealer.")] = None,
    reach_mm: Annotated[float, OPTION(help="Radius of a marked box.", min=20, max=1000)] = 130,
    boxes: Annotated[str | None, OPTION(help="Only these boxes of the plan, as 0,1,2.")] = None,
    print_: Annotated[Path | None, OPTION("--print", help="The felt's art, or an earlier layout.")] = None,
    square_mm: Annotated[
        float | None, OPTION(help="Square of the sheet, measured; else as drawn.", min=10, max=100)
    ] = None,
    index_mm: Annotated[
        float | None, OPTION(help="Height of the rank's letter alone: standard 6.5, jumbo 13.", min=2, max=60)
    ] = None,
    empty: Annotated[Path | None, OPTION(help="A picture of the empty table, kept to notice moves.")] = None,
    picture: Annotated[Path | None, OPTION(help="Draw what was found into this PNG or JPEG.")] = None,
    camera: CameraName = None,
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
    """Find the layout and the boxes in a camera's picture, from printed sheets or the layout's own print.

    `calibrate shoe CONFIG` judges a shoe reader that counts by known cards drawn through it.

    Exit status 0: the layout was written. 1: the set-up is refused, with the next step; nothing was written.
    2: a file that could not be used.
    """
    tongue, named = language or terminal_tongue(), tuple(frames or ())
    try:
        if named and str(named[0]) == "shoe":
            if len(named) != 2:
                raise ConfigError("COMMAND_LINE", reason="calibrate shoe CONFIG")
            _require(named[1], "CONFIG_MISSING")
            from controller.cli.calibrate_shoe import calibrate_shoe

            names = (cards or "").split()
            is_good = calibrate_shoe(named[1], names, card_mm, tongue, check=check, as_json=as_json)
            raise typer.Exit(0 if is_good else 1)
        for path in named:
            _require(path, "CONFIG_MISSING" if path.suffix.lower() == ".toml" else "PICTURE_MISSING")
        for optional in (print_, empty):
            _require(optional, "PICTURE_MISSING")
        _require(plan, "LAYOUT_MISSING")
        from controller.cli.calibration import CalibrateArgs, calibrate_camera, print_sheet

        if make_sheet is not None:
            print_sheet(make_sheet, sheet, tongue, force=force, as_json=as_json)
            return
        args = CalibrateArgs(
            *(plan, tuple(mark or ()), reach_mm, boxes, print_, square_mm, index_mm),
            *(camera, count, out, empty, picture, force),
        )
        status = calibrate_camera(named, args, tongue, as_json=as_json)
    except TableError as error:
        print_error(error, language=tongue)
        raise typer.Exit(2) from error
    raise typer.Exit(status)


def enrol(
    files: Annotated[
        list[Path], typer.Argument(help="Pictures; recordings or folders of them; a configuration.")
    ],
    out: Annotated[Path, OPTION("--out", "-o", help="File of the profile.")],
    *,
    labels: Annotated[Path | None, OPTION("--labels", help="Known cards, JSON Lines.")] = None,
    order: Annotated[
        str | None, OPTION("--order", help='The cards as they are spread, row by row: "As 2s … Kd".')
    ] = None,
    camera: CameraName = None,
    json_out: Annotated[bool, OPTION("--json", help="Print the result as JSON.")] = False,
    force: Force = False,
) -> None:
    """Make a deck profile, with which `stand17 read --deck` reads that deck alone.

    Of a closed table's configuration its camera takes two pictures; the 52 cards are spread for each.

    Recordings (files, or folders of them) need no labels: the shoe says what each card is, and people who
    corrected it. Exit status 0 when the profile proved itself on indices that it was not made from; 1 when it
    did not, or a picture cannot be used: no file is written then. 2 when labels, order, a recording or the
    model are wrong.
    """
    kinds = {".mcap": "RECORDING_MISSING", ".toml": "CONFIG_MISSING"}
    try:
        for path in files:
            code = next((kinds[suffix] for suffix in path.suffixes if suffix in kinds), "PICTURE_MISSING")
            _require(path, code)
    except ConfigError as error:
        raise typer.Exit(_refused(error)) from error
    from controller.cli.pictures import enrol_deck

    status = enrol_deck(files, out, labels=labels, order=order, camera=camera, as_json=json_out, force=force)
    raise typer.Exit(status)


def _require(path: Path | None, code: str) -> None:
    """Raise the error of the part that would open the file, before that part is loaded."""
    if path is None or path.exists():
        return
    if code == "PICTURE_MISSING":
        raise ConfigError(code, file=str(path))
    raise ConfigError(code, path=str(path), reason=os.strerror(errno.ENOENT))


def _refused(error: TableError) -> int:
    print_error(error)
    return 1 if error.code.startswith("PICTURE_") else 2
