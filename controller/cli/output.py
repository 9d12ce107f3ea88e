"""What every command prints alike: errors in words, amounts in units."""

from typing import Any

from rich.console import Console

from controller.domain.errors import TableError
from controller.i18n import text


def sentence(kind: str, code: str, params: dict[str, Any]) -> str:
    """The text `kind.code` of the catalogue with its holes filled."""
    return text(f"{kind}.{code}", params)


def error_console() -> Console:
    """Standard error, without colours where it is no terminal, never broken into lines by width."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def print_error(error: TableError, where: str = "") -> None:
    """One sentence on standard error: where, what is wrong, what to do next."""
    prefix = f"{where}: " if where else ""
    words = text(f"error.{error.code}", dict(error.params))
    error_console().print(f"{prefix}{words}", style="red", markup=False)
