"""Commands on the configuration: a new one from questions, the shipped example, the shipped pages.

A person at a terminal is asked what the program cannot know. A file of answers may also set the other
settings of `QUESTIONS`. Every answer is checked at once, by the checks of the configuration itself.
"""

import json
import os
import shutil
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, assert_never

import typer
from pydantic import ValidationError

from controller.cli.application import AsJson, Force
from controller.cli.devices import print_attached
from controller.cli.output import console, echo, echo_lines, print_answer, print_error, terminal_tongue
from controller.domain import ConfigError
from controller.i18n import Language, text
from controller.outputs import Outputs, read_regular
from controller.ports import SystemClock
from controller.rules import HOUSES
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

    return {} if read_manifest(root_of_this_program()) else {_RELEASE_KEY: NONE}


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


Answers = Mapping[str, str]
"""By the question's key."""


class Setting(NamedTuple):
    """One setting. `key` is section and field of the file; its text is `init.ask.<key>`.

    `needs` is another question and its required answers, separated by "|", or after "!" its excluded answer.
    Without a `default` an answer must be given, such as `example`. `is_quiet`: only a file of answers sets
    it.
    """

    key: str
    default: str
    choices: tuple[str, ...] = ()
    needs: tuple[str, str] | None = None
    kind: Literal["text", "number", "list"] = "text"
    example: str = ""
    is_quiet: bool = False

    def applies(self, answers: Answers) -> bool:
        """Whether a table with these answers has the setting."""
        if self.needs is None:
            return True
        key, wanted = self.needs
        given = answers.get(key, NONE)
        return given != wanted[1:] if wanted.startswith("!") else given in wanted.split("|")


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
    from controller.config import TlsSection
    from controller.main.trust import days_left, server_context

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


NONE: Final = "-"
"""The answer that leaves a device out."""

_RELEASE_KEY: Final = "software.release_key"
"""Asked where the program is a signed release; where it is not, the answer is `NONE`."""

_OPEN: Final = ("web.host", "!127.0.0.1")
"""Other machines reach the page."""

_FILMED: Final = ("camera.source", f"!{NONE}")

_FILMED_TWICE: Final = ("second.source", f"!{NONE}")

QUESTIONS: Final = (
    Setting("table.name", "BJ1"),
    Setting("table.rules", "spielbank", HOUSES),
    Setting("table.currency", "EUR"),
    Setting("journal.file", "{table}-{day}.journal", is_quiet=True),
    Setting("web.host", "127.0.0.1"),
    Setting("web.port", "8017", kind="number", is_quiet=True),
    Setting("web.names", "", needs=_OPEN, kind="list", example="bj1.pit.example"),
    Setting("web.tls.certificate", "", needs=_OPEN, example="tls/bj1.crt"),
    Setting("web.tls.key", "", needs=_OPEN, example="tls/bj1.key"),
    Setting("cards", "shoe", ("shoe", "mouth", "camera", "both")),
    Setting("shoe.port", "", needs=("cards", "shoe|both"), example="/dev/serial/by-id/usb-shoe-if00"),
    Setting("shoe.protocol", "angel_eye", ("angel_eye", "open"), needs=("cards", "shoe|both")),
    Setting("mouth.source", "", needs=("cards", "mouth"), example="/dev/v4l/by-id/usb-mouth-video-index0"),
    Setting("camera.source", NONE, example="/dev/v4l/by-id/usb-camera-video-index0"),
    Setting("camera.layout", "layout.toml", needs=_FILMED, is_quiet=True),
    Setting("camera.deck", NONE, needs=_FILMED, is_quiet=True),
    Setting("second.source", NONE, needs=_FILMED, is_quiet=True),
    Setting("second.layout", "second.layout.toml", needs=_FILMED_TWICE, is_quiet=True),
    Setting("second.deck", NONE, needs=_FILMED_TWICE, is_quiet=True),
    Setting(_RELEASE_KEY, "", example=NONE),
)
"""In the order in which they are asked."""

_SECTIONS: Final = {"mouth": "[[camera]]", "camera": "[[camera]]", "second": "[[camera]]"}

_FIXED: Final = {
    "mouth": ('name = "mouth"', 'profile = "shoe_mouth"'),
    "camera": ('name = "overhead"',),
    "second": ('name = "second"',),
}
"""Lines of a section that nobody is asked for."""


def checked(question: Setting, answer: str, before: Answers) -> str:
    """Return an answer that fits those `before` it and the file.

    Raises `ConfigError` INIT_ANSWER_BAD with the usable answers, or the configuration's own error.
    """
    from controller.config import fits_in_name

    answer = answer.strip()
    wanted = ", ".join(question.choices) or ("0-65535" if question.kind == "number" else question.example)
    is_good = answer in question.choices if question.choices else answer.isprintable() and bool(answer)
    if question.kind == "number":
        is_good = answer.isascii() and answer.isdigit() and int(answer) <= 65535
    if question.key == "table.name" and not fits_in_name(answer):
        is_good, wanted = False, "BJ1"
    if not is_good:
        raise ConfigError("INIT_ANSWER_BAD", key=question.key, answer=answer, wanted=wanted or "…")
    trial = {**before, question.key: answer}
    for later in QUESTIONS:
        if later.applies(trial):
            trial.setdefault(later.key, later.example or later.default)
    starter_file(trial, "en")
    return answer


def completed(given: Answers) -> dict[str, str]:
    """The answers of a file with a default for each that is missing.

    Raises `ConfigError` INIT_ANSWER_UNKNOWN for a key that is no question's, INIT_ANSWER_MISSING where there
    is no default, and as `checked`.
    """
    known = {question.key for question in QUESTIONS}
    for key in given:
        if key not in known:
            raise ConfigError("INIT_ANSWER_UNKNOWN", key=key, known=", ".join(sorted(known)))
    answers: dict[str, str] = {}
    for question in QUESTIONS:
        if not question.applies(answers):
            continue
        answer = given.get(question.key, question.default)
        if answer:
            answers[question.key] = checked(question, answer, answers)
        elif question.key != _RELEASE_KEY:
            raise ConfigError("INIT_ANSWER_MISSING", key=question.key, example=question.example)
    return answers


def starter_file(answers: Answers, language: str, *, shadow: bool = False) -> str:
    """The file's text, with comments in that language; `shadow`: of a table that stops nothing.

    Raises `ConfigError` CONFIG_WRONG where the answers do not make a table.
    """
    lines = [f"# {text('init.head', language=language)}"]
    section = ""
    for question in QUESTIONS:
        name, _, field = question.key.partition(".")
        answer = answers.get(question.key, NONE)
        if not field or answer == NONE:
            continue
        if name != section:
            section = name
            lines += ["", _SECTIONS.get(name, f"[{name}]"), *_FIXED.get(name, ())]
        lines.append(f"# {text(f'init.ask.{question.key}', language=language)}")
        lines.append(f"{field} = {_written(question, answer)}")
    if answers.get(_RELEASE_KEY) == NONE:
        lines += [
            "",
            "[software]",
            f"# {text('init.unsigned', language=language)}",
            "allow_unreleased = true",
        ]
    if (source := answers.get("cards")) in {"camera", "both"}:
        lines += ["", "[witnesses]", f"# {text('init.witnesses', language=language)}", f'source = "{source}"']
        if answers.get("second.source", NONE) != NONE:
            lines.append('camera = ["overhead", "second"]')
    if shadow:
        lines += ["", "[table.options]", f"# {text('init.shadow', language=language)}", 'mode = "shadow"']
    made = "\n".join(lines) + "\n"
    _require_table(made)
    return made


def _written(question: Setting, answer: str) -> str:
    match question.kind:
        case "number":
            return answer
        case "list":
            return json.dumps(answer.replace(",", " ").split(), ensure_ascii=False)
        case "text":
            return json.dumps(answer, ensure_ascii=False)
        case kind:
            assert_never(kind)


def _require_table(made: str) -> None:
    from controller.config import TableConfig

    try:
        TableConfig.model_validate(tomllib.loads(made))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "file"
        raise ConfigError("CONFIG_WRONG", path="table.toml", field=field, reason=first["msg"]) from error


def _pages() -> dict[str, Path]:
    from controller.software import shipped_folder

    return {path.stem: path for path in sorted(shipped_folder("docs").glob("*.md")) if path.stem != "README"}


def _names(incomplete: str) -> list[str]:
    """The pages that a shell completes."""
    return [name for name in _pages() if name.startswith(incomplete)]


def docs(
    page: Annotated[
        str | None, typer.Argument(help="The page's name, as running.", autocompletion=_names)
    ] = None,
) -> None:
    """List the pages of the program's documentation with their files, or show one of them."""
    pages = _pages()
    if page is None:
        for name, path in pages.items():
            title = path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
            echo(f"{name}\t{title}\t{path}")
        return
    if page not in pages:
        raise ConfigError("PAGE_UNKNOWN", page=page, known=", ".join(pages))
    from rich.markdown import Markdown

    words, shown = pages[page].read_text(encoding="utf-8"), console()
    if not shown.is_terminal:
        echo_lines(words.splitlines())
        return
    with shown.pager(styles=True):
        shown.print(Markdown(words))


def config() -> None:
    """Print a configuration with every setting and its default, to copy from."""
    from controller.software import shipped_folder

    example = shipped_folder("examples") / "table.toml"
    echo_lines(example.read_text(encoding="utf-8").splitlines())
