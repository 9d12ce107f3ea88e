"""`stand17 init`: a few questions, and a commented configuration to begin with."""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson, Force
from controller.cli.output import echo, print_error
from controller.cli.setup.devices import print_attached
from controller.cli.setup.starter import (
    NONE,
    QUESTIONS,
    RELEASE_KEY,
    Setting,
    checked,
    completed,
    starter_file,
)
from controller.cli.tongue import terminal_tongue
from controller.domain import ConfigError
from controller.i18n import Language, text
from controller.outputs import Outputs, read_regular
from controller.ports import SystemClock
from drivers.inventory import AttachedKind, attached

BYTES_MAX: Final = 100_000

_ATTACHED: Final[dict[str, AttachedKind]] = {
    "shoe.port": "serial",
    "mouth.source": "camera",
    "camera.source": "camera",
}
"""Questions about a device, for which an attached device is offered."""

_SERVICE_JOURNAL: Final = "/var/lib/stand17/{table}-{day}.journal"
"""For a configuration in /etc, which the service cannot write to."""


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
    """Write a commented configuration for a table from your answers; `setup` does all that follows.

    Exit status 2 with one sentence for an answer that cannot be used.
    """
    tongue = language or terminal_tongue()
    outputs = Outputs(() if answers is None else (answers,), force)
    outputs.require_free(file)
    given = known_answers()
    if file.resolve().is_relative_to("/etc"):
        given["journal.file"] = _SERVICE_JOURNAL
    # Questions go to standard error, so that the JSON object stands alone.
    found = asked(tongue, given, err=as_json) if answers is None else completed(given | read_answers(answers))
    write_table(outputs, file, starter_file(found, tongue, shadow=shadow))
    sections = {"overhead": "camera", "second": "second"}
    layouts = {
        name: layout for name, part in sections.items() if (layout := found.get(f"{part}.layout")) is not None
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


def write_table(outputs: Outputs, file: Path, content: str) -> None:
    """Write a configuration for the table's account alone: a camera's address may hold its password.

    Where root writes into a folder of a group, as /etc/stand17 is, that group is the account's.
    """
    outputs.write(file, content.encode())
    group = file.parent.stat().st_gid
    if os.geteuid() == 0 and group != 0:
        os.chown(file, 0, group)
        file.chmod(0o640)


def known_answers() -> dict[str, str]:
    """Return the answers known from the program: sources and unsigned wheels have no release key."""
    from controller.software import read_manifest, root_of_this_program

    return {} if read_manifest(root_of_this_program()) else {RELEASE_KEY: NONE}


def asked(
    tongue: str,
    given: Mapping[str, str],
    earlier: Mapping[str, str] | None = None,
    keep: Callable[[dict[str, str]], None] = lambda _: None,
    *,
    err: bool = False,
) -> dict[str, str]:
    """Ask the questions without a `given` answer at the terminal, on standard error with `err`.

    An unusable answer is asked again. `earlier` answers are offered; `keep` gets all of them after each
    question. Raises `ConfigError` for an unusable given answer.
    """
    print_attached(attached(), err=err)
    answers: dict[str, str] = {}
    for question in QUESTIONS:
        if not question.applies(answers):
            continue
        if question.is_quiet or question.key in given:
            fixed = given.get(question.key, question.default)
            answers[question.key] = checked(question, fixed, answers)
            continue
        while question.key not in answers:
            offered = (earlier or {}).get(question.key) or _default(question, answers)
            try:
                answers[question.key] = _answer(question, offered, answers, tongue, err=err)
            except ConfigError as error:
                print_error(error, language=tongue)
        keep(answers)
    return answers


def _answer(question: Setting, offered: str, before: Mapping[str, str], tongue: str, *, err: bool) -> str:
    """Ask one question; a device that is not attached is accepted only after a confirmation.

    Raises `ConfigError` as `checked`, DEVICE_NOT_ATTACHED.
    """
    words = text(f"init.ask.{question.key}", language=tongue)
    shown = f"{words} ({', '.join(question.choices)})" if question.choices else words
    found = typer.prompt(shown, default=offered, show_default=bool(offered), err=err)
    answer = checked(question, found, before)
    _require_certificate(question, answer, before)
    is_local = "://" not in answer and not answer.isdigit()
    if question.key in _ATTACHED and answer != NONE and is_local and not Path(answer).exists():
        insists = text("init.not_attached", {"path": answer}, tongue)
        if not typer.confirm(insists, default=False, err=err):
            raise ConfigError("DEVICE_NOT_ATTACHED", path=answer)
    return answer


def _require_certificate(question: Setting, answer: str, before: Mapping[str, str]) -> None:
    """Raise the error that a table's start would raise for certificate or key.

    mkcert makes a missing pair.
    """
    is_key = question.key == "web.tls.key"
    named = before["web.tls.certificate"] if is_key else answer
    if not (is_key or question.key == "web.tls.certificate") or not Path(named).is_absolute():
        return
    if not Path(named).exists() and shutil.which("mkcert") is not None:
        return
    from controller.config.model import TlsSection
    from controller.main.tls import days_left, server_context

    section = TlsSection(certificate=Path(named), key=Path(answer))
    now_us = SystemClock().utc_us()
    if is_key:
        server_context(section, now_us)
    else:
        days_left(section, now_us)


def _default(question: Setting, answers: Mapping[str, str]) -> str:
    """Return the attached device for a question, if known; the mouth's camera is not the table's."""
    kind = _ATTACHED.get(question.key)
    taken = set(answers.values())
    names = (found.name for found in attached() if found.kind == kind and found.name not in taken)
    return next(names, question.default)


def read_answers(path: Path) -> dict[str, str]:
    """Read a file of answers; raises `ConfigError` INIT_ANSWERS_UNREADABLE or `MalformedLine`."""
    from controller.validation import read_document

    try:
        data = read_regular(path, BYTES_MAX, links=True)
        found = read_document(data, path, "INIT_ANSWERS_UNREADABLE")
    except OSError as error:
        reason = error.strerror or ""
        raise ConfigError("INIT_ANSWERS_UNREADABLE", path=str(path), reason=reason) from error
    if not isinstance(found, dict):
        raise ConfigError("INIT_ANSWERS_UNREADABLE", path=str(path), reason="not a JSON object")
    return {str(key): str(value) for key, value in found.items()}
