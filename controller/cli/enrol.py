"""`stand17 enrol`: a deck's profile from pictures of known cards, proven on what it was not made from."""

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.json_output import print_object
from controller.cli.output import print_error
from controller.domain.errors import ConfigError, TableError
from controller.i18n import text
from vision.enrolment import DeckProfile, EnrolPicture, enrol, load_labels, parse_order, write_profile
from vision.pictures import load_picture
from vision.reader import CardReader


def enrol_deck(
    images: Annotated[list[Path], typer.Argument(help="Pictures of the deck, JPEG or PNG.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File of the profile.")],
    labels: Annotated[Path | None, typer.Option("--labels", help="Known cards, JSON Lines.")] = None,
    order: Annotated[
        str | None, typer.Option("--order", help='The cards as they are spread, row by row: "As 2s … Kd".')
    ] = None,
    json_out: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Make a deck profile, with which `stand17 read --deck` reads that deck alone.

    Exit status 0 when the profile proved itself on indices that it was not made from; 1 when it did not, or
    a picture cannot be used: no file is written then. 2 when labels, order or model are wrong.
    """
    try:
        pictures = _pictures(images, labels, order)
        reader = CardReader.open()
    except ConfigError as error:
        print_error(error)
        raise typer.Exit(2) from error
    except TableError as error:
        print_error(error)
        raise typer.Exit(1) from error
    try:
        profile = write_profile(enrol(pictures, reader.networks), out)
    except TableError as error:
        _refuse(error, json_out)
        raise typer.Exit(1) from error
    _tell(profile, out, json_out)


def _pictures(images: list[Path], labels: Path | None, order: str | None) -> list[EnrolPicture]:
    """The pictures with what is known of them; raises TableError and ConfigError as their parts do."""
    if (labels is None) == (order is None):
        raise ConfigError("ENROL_HOW")
    known = load_labels(labels) if labels is not None else {}
    names = parse_order(order) if order is not None else []
    unlabelled = next((path for path in images if labels is not None and path.name not in known), None)
    if unlabelled is not None:
        raise ConfigError("ENROL_NOT_LABELLED", file=str(unlabelled), path=str(labels))
    found = []
    for path in images:
        image = load_picture(path)
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        found.append(EnrolPicture(path.name, sha256, image, known.get(path.name, ()), names))
    return found


def _refuse(error: TableError, json_out: bool) -> None:
    """Say why there is no profile; as JSON, too, where that was asked for."""
    print_error(error)
    if json_out:
        print_object({"proven": False, "code": error.code, **error.params})


def _tell(profile: DeckProfile, out: Path, json_out: bool) -> None:
    figures = profile.figures
    if json_out:
        pictures = [{"file": file, "sha256": sha256} for file, sha256 in profile.pictures]
        rounded = {**figures._asdict(), "bound": round(figures.bound, 6), "index_px": profile.deck.index_px}
        cards = rounded.pop("cards")
        told = {"file": str(out), "sha256": profile.sha256, "pictures": pictures, "cards": cards}
        print_object({"proven": True, **told, "figures": rounded})
        return
    counts = {name: getattr(figures, name) for name in ("cards", "indices", "right")}
    params = {"file": str(out), "hash": profile.sha256[:12], "pictures": len(profile.pictures), **counts}
    typer.echo(text("enrol.done", {**params, "bound": f"{100 * figures.bound:.2f}"}))
