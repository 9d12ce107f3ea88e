"""A first configuration file from the answers to a few questions: every line is explained.

A person at a terminal is asked what the program cannot know. A file of answers may also set the other
settings of `QUESTIONS`. Every answer is checked at once, by the checks of the configuration itself.
"""

import json
import tomllib
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, assert_never

from pydantic import ValidationError

from controller.domain import ConfigError
from controller.i18n import text
from controller.rules import HOUSES

NONE: Final = "-"
"""The answer that leaves a device out."""

Answers = Mapping[str, str]
"""By the question's key."""

RELEASE_KEY: Final = "software.release_key"
"""Asked where the program is a signed release; where it is not, the answer is `NONE`."""


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
    Setting(RELEASE_KEY, "", example=NONE),
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
    from controller.config.gaming_day import fits_in_name

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
        elif question.key != RELEASE_KEY:
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
    if answers.get(RELEASE_KEY) == NONE:
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
