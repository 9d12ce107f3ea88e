"""What every command prints alike: errors in words, amounts in units."""

from typing import TYPE_CHECKING, Any

from controller.cli.json_words import print_object, wants_json
from controller.domain.errors import TableError
from controller.i18n import catalogue, text

if TYPE_CHECKING:
    from rich.console import Console

    from controller.cli.json_output import ErrorAnswer

# What only an error needs is not loaded before there is one.


def sentence(kind: str, code: str, params: dict[str, Any]) -> str:
    """The text of a code with its holes filled: the same fault may have its text as another kind."""
    known = catalogue("en")
    keys = (f"{kind}.{code}", f"alert.{code}", f"refused.{code}", f"hold.{code}")
    return text(next((key for key in keys if key in known), keys[0]), params)


def error_console() -> "Console":
    """Standard error, without colours where it is no terminal, never broken into lines by width."""
    from rich.console import Console  # noqa: PLC0415 - see above

    return Console(stderr=True, highlight=False, soft_wrap=True)


def print_error(error: TableError, where: str = "", language: str = "en") -> None:
    """One sentence on standard error: where, what is wrong, what to do next; an object with `--json`."""
    told = error_answer(error, where, language)
    if wants_json():
        print_object(told.model_dump(mode="json"), err=True, escaped=False)
        return
    error_console().print(told.message, style="red", markup=False)


def error_answer(error: TableError, where: str = "", language: str = "en") -> "ErrorAnswer":
    """The error as `--json` tells it; `where` is a file, with its line where one is wrong."""
    from controller.cli.json_output import ErrorAnswer  # noqa: PLC0415 - see above

    words = text(f"error.{error.code}", dict(error.params), language)
    message = f"{where}: {words}" if where else words
    return ErrorAnswer(where=where, code=error.code, params=error.params, message=message)
