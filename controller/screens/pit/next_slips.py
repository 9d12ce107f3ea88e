"""The numbers that the next slips may have: one more than the last one of their kind."""

import re
from typing import Final

from controller.acts.money import SlipKind
from controller.engine.shoe.table_day import drops_of_day
from controller.engine.state import Book
from controller.screens.shapes.view import NextSlips

NUMBER: Final = re.compile(r"\d{1,15}$")
"""Digits at the end of a slip's number; what stands before them is the house's."""


def next_slips(book: Book) -> NextSlips:
    """What follows the last slip of each kind, void or not, and was never used: "F009" gives "F010"."""
    return NextSlips(
        fill=_next(book, "fill"), credit=_next(book, "credit"), drop=str(len(drops_of_day(book)) or "")
    )


def _next(book: Book, kind: SlipKind) -> str:
    used = [slip.number for slip in book.slips if slip.kind == kind]
    found = NUMBER.search(used[-1]) if used else None
    if found is None:
        return ""
    digits, before = found.group(), used[-1][: found.start()]
    number = int(digits) + 1
    while (proposed := f"{before}{number:0{len(digits)}}") in used:
        number += 1
    return proposed
