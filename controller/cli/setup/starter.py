"""A first configuration file, from the answers to a few questions: every line says what it is for.

The questions are the same for a person at a terminal and for a file of answers; what is not asked has its
default, and `examples/table.toml` shows it.
"""

import json
import tomllib
from collections.abc import Mapping
from typing import Final, NamedTuple

from pydantic import ValidationError

from controller.config import TableConfig
from controller.config.gaming_day import fits_in_name
from controller.domain.errors import ConfigError
from controller.i18n import text
from controller.rules import HOUSES

NONE: Final = "-"
"""The answer that leaves a device out."""

Answers = Mapping[str, str]
"""By the question's key."""


class Setting(NamedTuple):
    """One setting. `key` is section and field of the file; its text is `init.ask.<key>`.

    `needs` is another question and the answers, parted by "|", of which it must have had one, or the one that
    it must not have had where it begins with "!".
    """

    key: str
    default: str
    choices: tuple[str, ...] = ()
    needs: tuple[str, str] | None = None
    is_number: bool = False

    def is_asked(self, answers: Answers) -> bool:
        """Whether the answers so far leave it open."""
        if self.needs is None:
            return True
        key, wanted = self.needs
        given = answers.get(key, NONE)
        return given != wanted[1:] if wanted.startswith("!") else given in wanted.split("|")


QUESTIONS: Final = (
    Setting("table.name", "BJ1"),
    Setting("table.rules", "spielbank", HOUSES),
    Setting("table.currency", "EUR"),
    Setting("journal.file", "{table}-{day}.journal"),
    Setting("web.host", "127.0.0.1"),
    Setting("web.port", "8017", is_number=True),
    Setting("cards", "shoe", ("shoe", "mouth", "camera", "both")),
    Setting("shoe.port", "/dev/serial/by-id/usb-shoe-if00", needs=("cards", "shoe|both")),
    Setting("shoe.protocol", "angel_eye", ("angel_eye", "open"), needs=("cards", "shoe|both")),
    Setting("mouth.source", "/dev/v4l/by-id/usb-mouth-video-index0", needs=("cards", "mouth")),
    Setting("camera.source", NONE),
    Setting("camera.layout", "layout.toml", needs=("camera.source", f"!{NONE}")),
    Setting("camera.deck", NONE, needs=("camera.source", f"!{NONE}")),
    Setting("second.source", NONE, needs=("camera.source", f"!{NONE}")),
    Setting("second.layout", "second.layout.toml", needs=("second.source", f"!{NONE}")),
    Setting("second.deck", NONE, needs=("second.source", f"!{NONE}")),
)
"""In the order in which they are asked."""

_SECTIONS: Final = {"mouth": "[[camera]]", "camera": "[[camera]]", "second": "[[camera]]"}
_FIXED: Final = {
    "mouth": ('name = "mouth"', 'profile = "shoe_mouth"'),
    "camera": ('name = "overhead"',),
    "second": ('name = "second"',),
}
"""Lines of a section that nobody is asked for."""


def checked(question: Setting, answer: str) -> str:
    """An answer that can stand in the file; raises `ConfigError` INIT_ANSWER_BAD with what would do."""
    answer = answer.strip()
    wanted = ", ".join(question.choices) or ("0-65535" if question.is_number else "…")
    is_good = answer in question.choices if question.choices else answer.isprintable() and bool(answer)
    if question.is_number:
        is_good = answer.isascii() and answer.isdigit() and int(answer) <= 65535
    if question.key == "table.name" and not fits_in_name(answer):
        is_good, wanted = False, "BJ1"
    if not is_good:
        raise ConfigError("INIT_ANSWER_BAD", key=question.key, answer=answer, wanted=wanted)
    return answer


def completed(given: Answers) -> dict[str, str]:
    """The answers of a file with a default for each that is missing.

    Raises `ConfigError` INIT_ANSWER_UNKNOWN for one that nobody asks for, INIT_ANSWER_BAD.
    """
    known = {question.key for question in QUESTIONS}
    for key in given:
        if key not in known:
            raise ConfigError("INIT_ANSWER_UNKNOWN", key=key, known=", ".join(sorted(known)))
    answers: dict[str, str] = {}
    for question in QUESTIONS:
        if question.is_asked(answers):
            answers[question.key] = checked(question, given.get(question.key, question.default))
    return answers


def starter_file(answers: Answers, language: str, *, shadow: bool = False) -> str:
    """The file's text, with comments in that language; `shadow`: of a table that stops nothing.

    Raises `ConfigError` CONFIG_WRONG where the answers do not make a table.
    """
    lines = [f"# {text('init.head', language=language)}"]
    section = ""
    for question in QUESTIONS:
        name, _, field = question.key.partition(".")
        if not field or question.key not in answers or answers[question.key] == NONE:
            continue
        if name != section:
            section = name
            lines += ["", _SECTIONS.get(name, f"[{name}]"), *_FIXED.get(name, ())]
        lines.append(f"# {text(f'init.ask.{question.key}', language=language)}")
        answer = answers[question.key]
        written = answer if question.is_number else json.dumps(answer, ensure_ascii=False)
        lines.append(f"{field} = {written}")
    if (source := answers.get("cards")) in {"camera", "both"}:
        lines += ["", "[witnesses]", f"# {text('init.witnesses', language=language)}", f'source = "{source}"']
        if answers.get("second.source", NONE) != NONE:
            lines.append('camera = ["overhead", "second"]')
    if shadow:
        lines += ["", "[table.options]", f"# {text('init.shadow', language=language)}", 'mode = "shadow"']
    made = "\n".join(lines) + "\n"
    _require_table(made)
    return made


def _require_table(made: str) -> None:
    try:
        TableConfig.model_validate(tomllib.loads(made))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "file"
        raise ConfigError("CONFIG_WRONG", path="table.toml", field=field, reason=first["msg"]) from error
