"""`stand17 init`: a few questions, and a commented configuration to begin with."""

from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson, Force
from controller.cli.output import echo, print_error
from controller.cli.setup.starter import QUESTIONS, Setting, checked, completed, starter_file
from controller.cli.tongue import terminal_tongue
from controller.domain.errors import ConfigError
from controller.i18n import Language, text
from controller.outputs import Outputs
from controller.validation.strict_json import read_document
from drivers.inventory import AttachedKind, attached

BYTES_MAX: Final = 100_000

ATTACHED: Final[dict[str, AttachedKind]] = {
    "shoe.port": "serial",
    "mouth.source": "camera",
    "camera.source": "camera",
}
"""Questions to which something that is plugged in is the best default."""


def init(
    file: Annotated[Path, typer.Argument(help="The configuration to write.")] = Path("table.toml"),
    answers: Annotated[
        Path | None, typer.Option(help="Answers as a JSON object, by key; nothing is asked then.")
    ] = None,
    *,
    language: Annotated[Language | None, typer.Option(help="The terminal's own when left out.")] = None,
    shadow: Annotated[bool, typer.Option(help="A table that watches and stops nothing.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a commented configuration for a table, from what you answer.

    Exit status 2 with one sentence where an answer cannot be used.
    """
    tongue = language or terminal_tongue()
    outputs = Outputs(() if answers is None else (answers,), force)
    outputs.require_free(file)
    # What is asked must not stand in front of the object.
    given = _asked(tongue, err=as_json) if answers is None else completed(_read(answers))
    # For the table's account alone: the address of a camera may hold its password.
    outputs.write(file, starter_file(given, tongue, shadow=shadow).encode())
    sections = {"overhead": "camera", "second": "second"}
    layouts = {
        name: layout for name, part in sections.items() if (layout := given.get(f"{part}.layout")) is not None
    }
    if as_json:
        print_answer("init", file=str(file), layout=layouts.get("overhead", ""))
    else:
        _print_file(file, layouts, tongue)


def _print_file(file: Path, layouts: dict[str, str], tongue: str) -> None:
    echo(text("init.written", {"path": str(file)}, tongue))
    for name, layout in layouts.items():
        path = str(file) if len(layouts) == 1 else f"{file} --camera {name}"
        echo(text("init.next_calibrate", {"path": path, "layout": layout}, tongue))
    echo(text("init.next", {"path": str(file)}, tongue))


def _asked(tongue: str, *, err: bool) -> dict[str, str]:
    """Ask at the terminal, on standard error with `err`; an answer that cannot be used is asked again."""
    answers: dict[str, str] = {}
    for question in QUESTIONS:
        while question.is_asked(answers) and question.key not in answers:
            words = text(f"init.ask.{question.key}", language=tongue)
            shown = f"{words} ({', '.join(question.choices)})" if question.choices else words
            try:
                found = typer.prompt(shown, default=_default(question, answers), err=err)
                answers[question.key] = checked(question, found)
            except ConfigError as error:
                print_error(error)
    return answers


def _default(question: Setting, answers: dict[str, str]) -> str:
    """What is plugged in, where that can be known; the mouth's camera is not the table's."""
    kind = ATTACHED.get(question.key)
    taken = set(answers.values())
    names = (found.name for found in attached() if found.kind == kind and found.name not in taken)
    return next(names, question.default)


def _read(path: Path) -> dict[str, str]:
    """Read a file of answers; raises `ConfigError` INIT_ANSWERS_UNREADABLE or `MalformedLine`."""
    try:
        with path.open("rb") as file:
            found = read_document(file.read(BYTES_MAX), path, "INIT_ANSWERS_UNREADABLE")
    except OSError as error:
        reason = error.strerror or ""
        raise ConfigError("INIT_ANSWERS_UNREADABLE", path=str(path), reason=reason) from error
    if not isinstance(found, dict):
        raise ConfigError("INIT_ANSWERS_UNREADABLE", path=str(path), reason="not a JSON object")
    return {str(key): str(value) for key, value in found.items()}
