"""Prints docs/permissions.md, the table of permissions: `python -m tests.runtime.permissions_page`."""

import sys
from typing import Final

from controller.acts.declaring import (
    ADMINISTRATORS,
    ALWAYS,
    ANSWERS,
    NEVER,
    NOT_ADMINISTRATORS,
    OWN_HOLDS,
    UNHELD,
    Row,
    Situation,
    When,
)
from controller.policy.allowed import (
    ADMINISTRATOR_LIFTS,
    DEALER_LIFTS,
    DEALER_SECONDS,
    PERMISSIONS,
)

WORDS: Final[dict[When, str]] = {
    NEVER: "no",
    ALWAYS: "always",
    UNHELD: "unheld",
    ANSWERS: "unheld, answer",
    OWN_HOLDS: "dealer's holds",
    NOT_ADMINISTRATORS: "but software",
    ADMINISTRATORS: "software",
}
"""How the page calls each pattern of situations."""

ANSWERED: Final = {"yes": "yes", "held": "`TABLE_HELD`", "no": "`NOT_ALLOWED`"}

HEAD: Final = """# Who may do what, and when

For the pit and auditors. Printed from `controller/policy/allowed.py` by
`python -m tests.runtime.permissions_page`; the live table and `stand17 replay --table` ask that file. The
house's profile and the rules may forbid more ([table](table.md)).

Surveillance and tester look on. The table itself (`system`) is as the pit, but lays no card by hand while
held, enters at any time who deals, and alone writes sign-ins.
"""

COLUMNS: Final = (
    "acts",
    "dealer",
    "supervisor, pit manager",
    "administrator",
    "surveillance, tester",
    "shoe, camera",
    "chip source",
)


def page() -> str:
    """Give the whole page."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for act, row in PERMISSIONS.items():
        alike.setdefault(_cells(row), []).append(act.value)
    acts = _table(COLUMNS, [("; ".join(names), *cells) for cells, names in alike.items()])
    patterns = [
        (name, *(ANSWERED[when.answer(situation)] for situation in Situation))
        for when, name in WORDS.items()
        if when not in (NEVER, ALWAYS)
    ]
    words = _table(("", *(situation.value for situation in Situation)), patterns)
    seconds = ", ".join(sorted(f"`{act}`" for act in DEALER_SECONDS))
    return (
        f"{HEAD}\n{acts}\nThe words of the cells, by situation of the table:\n\n{words}\n"
        "Where several holds stand the strictest counts; `resume` counts those that it names. "
        f"Without a house's profile the dealer lifts {_codes(DEALER_LIFTS)}, an administrator alone "
        f"{_codes(ADMINISTRATOR_LIFTS)}, the pit every other one. As the second person signs somebody of the "
        f"pit, for {seconds} also a dealer.\n"
    )


def _cells(row: Row) -> tuple[str, ...]:
    cells = (row.dealer, row.pit, row.administrator, row.onlooker, row.device, row.chips)
    return tuple(WORDS[one] for one in cells)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _codes(codes: frozenset[str]) -> str:
    return ", ".join(f"`{code}`" for code in sorted(codes))


if __name__ == "__main__":
    sys.stdout.write(page())
