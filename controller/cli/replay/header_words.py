"""Sentences common to the report on one file and the report on many."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from controller.i18n import text

HELD: Final = "TABLE_HELD"
"""How a line is refused because the table waits for something else."""


def override_words(file: str, overrides: Mapping[str, list[Any]]) -> Iterator[str]:
    """Yield the fields in which a file's rules differ from its house's, with both values."""
    for field, (says, house) in overrides.items():
        holes = {"file": file, "field": field, "says": short(says), "house": short(house)}
        yield f"! {text('report.override', holes)}"


def short(value: object) -> str:
    """A value as JSON writes it; "-" for none."""
    return "-" if value is None else json.dumps(value, ensure_ascii=False)
