"""A differing value in words: its owner, its kind, amounts in the currency's units."""

from typing import Final

from controller.feed.replay import MISSING, Json
from controller.i18n import money, text

AMOUNTS: Final = ("returned", "staked", "net", "stake")
"""Fields of a round that are amounts in minor units."""


def value_words(row: Json, currency: str) -> str:
    """Return the sentence of a difference, given as by `ExpectationDifference.placed`."""
    holes = {
        "place": place_words(row) or row["key"],
        "code": row["key"],
        **{name: _value(row, row[name], currency) for name in ("expected", "actual")},
    }
    if row.get("what") == "round":
        return text("report.round_extra" if row["expected"] == MISSING else "report.round_missing")
    known = f"diff.{row.get('what')}"
    words = text(known, holes)
    # A field that has no sentence of its own.
    return text("report.value", holes) if words.startswith(known) else words


def place_words(row: Json) -> str:
    """Return the box, with the seat or the hand if there is one; "" without a box."""
    if "box" not in row:
        return ""
    key = "diff.at_seat" if row.get("seat") else "diff.at_hand" if row.get("hand") else "diff.at_box"
    return text(key, row)


def _value(row: Json, value: object, currency: str) -> str:
    if row.get("what") in AMOUNTS and isinstance(value, int):
        return money(value, currency=currency)
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
