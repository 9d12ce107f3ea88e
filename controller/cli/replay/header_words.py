"""What a report on one file and one on many tell alike, without what only the latter needs."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from controller.i18n import text

HELD: Final = "TABLE_HELD"
"""How a line is refused because the table waits for something else."""


def override_words(file: str, overrides: Mapping[str, list[Any]]) -> Iterator[str]:
    """The fields in which a file's rules are not its house's: what it says, what the house has."""
    for field, (says, house) in overrides.items():
        holes = {"file": file, "field": field, "says": short(says), "house": short(house)}
        yield f"! {text('report.override', holes)}"


def short(value: object) -> str:
    """A value as JSON writes it; "-" for none."""
    return "-" if value is None else json.dumps(value, ensure_ascii=False)
