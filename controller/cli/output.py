"""Common output of all commands: errors in words, JSON answers, amounts, times, the user's language."""

import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from controller import domain
from controller.domain import ConfigError, TableError, escaped
from controller.i18n import LANGUAGES, key_of, money, text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
    from typing_extensions import Buffer


# Modules for errors are imported only when an error occurs.


class OutputFailed(Exception):
    """Standard output takes no more; `__cause__` says why. No OSError: the file that is read has no fault."""


class _Output(io.RawIOBase):
    """A standard stream whose errors are distinguished from those of the files that a command reads."""

    def __init__(self, number: int) -> None:
        """Take the number of the open stream."""
        self._number = number

    def fileno(self) -> int:
        """Give the number of the stream."""
        return self._number

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return os.isatty(self._number)

    def writable(self) -> bool:
        """Always true."""
        return True

    def write(self, data: "Buffer") -> int | None:
        """Write as much as the stream accepts. Raises `OutputFailed`."""
        try:
            return os.write(self._number, data)
        except BlockingIOError:
            return None
        except OSError as error:
            raise OutputFailed from error


def guard_output() -> None:
    """Give standard output an error of its own, and escape the characters that its encoding lacks.

    File names need not be UTF-8, and a terminal may use Latin-1. A replaced standard output stays as it is.
    """
    _open_closed_streams()
    found = sys.stdout
    if found is not sys.__stdout__ or not isinstance(found, io.TextIOWrapper):
        return
    found.flush()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(found.fileno())),
        encoding=found.encoding,
        errors="backslashreplace",
        line_buffering=found.line_buffering,
    )


def _open_closed_streams() -> None:
    """Open a closed standard stream as the null device.

    Otherwise a journal would get its number, and a library's output would be written into the journal.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def end_output(failed: OutputFailed) -> int:
    """Say why nothing more was printed; the exit status. A reader that wants no more is told nothing."""
    with suppress(OutputFailed, ValueError):
        sys.stdout.close()
    sys.stdout = io.TextIOWrapper(io.BytesIO())
    cause = failed.__cause__
    if isinstance(cause, BrokenPipeError):
        return PIPE_CLOSED
    reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    print_error(ConfigError("OUTPUT_FULL", reason=reason))
    return 2


PIPE_CLOSED: Final = 141
"""Exit status where the reader of the output has gone, as shells count SIGPIPE."""


def sentence(kind: str, code: str, params: dict[str, Any]) -> str:
    """The text of a code with its holes filled: the same fault may have its text as another kind."""
    key = key_of(code, (kind, "alert", "refused", "hold"), params.items())
    return text(key or f"{kind}.{code}", params)


def echo(words: str, *, err: bool = False) -> None:
    """Print a line with its control characters escaped. Tabs separate columns."""
    import typer

    typer.echo(escaped(words, keep="\t"), err=err)  # noqa: TID251 - the one place


def echo_lines(lines: Iterable[str]) -> None:
    """Print lines, see `echo`."""
    for line in lines:
        echo(line)


def console(*, err: bool = False, **options: Any) -> "Console":
    """Return a console for tables and styled lines; control characters in their text are escaped.

    Brackets are text, as in `[on_alert]`: styles are given separately, by rich's `Text` or `style`.
    """
    from rich.console import Console

    class EscapingConsole(Console):
        def render_str(self, text: str, **given: Any) -> "Text":
            return super().render_str(escaped(text, keep="\n"), **given)

    return EscapingConsole(stderr=err, markup=False, emoji=False, **options)


def headed(prefix: str, *heads: str, language: str = "en", title: str | None = None) -> "Table":
    """Return an empty table; `heads` are the columns, whose words are those of `prefix`."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for head in heads:
        table.add_column(text(f"{prefix}.{head}", language=language), overflow="fold")
    return table


def error_console() -> "Console":
    """Standard error, without colours where it is no terminal, never broken into lines by width."""
    return console(err=True, highlight=False, soft_wrap=True)


@contextmanager
def counted(what: str, unit: str = "", *, every: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A line on a terminal's standard error that shows every so manieth number; nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    number_column = TextColumn(f"{{task.completed}}{unit}")
    columns = (TextColumn("{task.description}", markup=False), number_column, TimeElapsedColumn())
    with Progress(*columns, console=error_console(), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def advance(number: int) -> None:
            if number % every == 0:
                bar.update(task, completed=number)

        yield advance


def print_error(error: TableError, where: str = "", language: str = "en") -> None:
    """Print one sentence on standard error: place, fault, next step; an object with `--json`."""
    message = error_sentence(error, where, language)
    if wants_json():
        print_answer("error", err=True, where=where, code=error.code, params=error.params, message=message)
        return
    error_console().print(message, style="red")


def error_sentence(error: TableError, where: str = "", language: str = "en") -> str:
    """The error in words; `where` is a file, with its line where one is wrong."""
    words = text(f"error.{error.code}", dict(error.params), language)
    return f"{where}: {words}" if where else words


OPTION: Final = "--json"

_SENTENCES: Final = frozenset(("replay", "read", "enrol", "verify"))
"""Commands whose errors stay sentences on standard error: others read them so, and had `--json` all along."""


def print_object(recorded: object, *, err: bool = False, escaped: bool = True) -> None:
    """Print an answer whose fields come from the printed object, such as a report, on a line of its own.

    `escaped`: letters beyond ASCII are JSON escapes, as these commands have always written them.
    """
    written = domain.escaped(json.dumps(recorded, ensure_ascii=escaped))
    print(written, file=sys.stderr if err else sys.stdout, flush=True)


def print_answer(kind: str, /, *, err: bool = False, **fields: object) -> None:
    """Print a command's answer; `err`: on standard error, when standard output has other content.

    `kind` is its `type`. Fields keep their names and their meaning (docs/json.md); a new one may be added.
    """
    print_object({"type": kind, **fields}, err=err, escaped=False)


def wants_json() -> bool:
    """Whether errors are wanted as JSON; known even for an unreadable command line."""
    words = sys.argv[1:]
    return not _SENTENCES.intersection(words[:1]) and OPTION in takewhile(lambda word: word != "--", words)


def terminal_tongue() -> str:
    """The language of the user's terminal, English where it is none of ours."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return value[:2] if value[:2] in LANGUAGES else "en"
    return "en"


def clock(t: float) -> str:
    """Seconds since the header as `0:31:20.5`."""
    whole = timedelta(seconds=round(t, 3))
    return str(whole)[:-3] if whole.microseconds else str(whole)


def amount(amount_minor: int, currency: str) -> str:
    """An amount in the currency's own notation, such as `37.50 EUR`."""
    return money(amount_minor, currency=currency)


def signed_amount(amount_minor: int, currency: str) -> str:
    """Return a win or loss, such as `+7.50 EUR`."""
    return money(amount_minor, currency=currency, signed=True)
