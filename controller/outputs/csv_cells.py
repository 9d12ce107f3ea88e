"""Rows for a spreadsheet: texts of others stay texts there, and are no formulas."""

import csv
import re
from collections.abc import Iterable
from typing import Any, Final, Protocol

_FORMULA: Final = re.compile("[=+\\-@\t\r]")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
AS_TEXT: Final = "'"
"""In front of a cell that a spreadsheet would compute."""


class _Writes(Protocol):
    def write(self, text: str, /) -> object: ...


class CsvWriter:
    """Writes rows as `csv.writer` does."""

    def __init__(self, stream: _Writes) -> None:
        """Nothing is written yet."""
        self._writer = csv.writer(stream)

    def row(self, cells: Iterable[Any]) -> None:
        """Write a row."""
        self._writer.writerow([_cell(cell) for cell in cells])

    def rows(self, rows: Iterable[Iterable[Any]]) -> None:
        """Write rows."""
        for cells in rows:
            self.row(cells)


def _cell(value: object) -> object:
    is_formula = isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value)
    return f"{AS_TEXT}{value}" if is_formula else value
