"""Each fault planted in a shift that else goes on as people would: a file for the tester's screen."""

from pathlib import Path
from typing import Final

from tests.planted_faults.plants import FAULTS, PIT, Fault, Line, Shift, written

HOUSE: Final = "fr"
MISREAD_P: Final = 0.97
"""A reader that takes a card for another is less sure of it than of the rest."""

AS_IT_IS: Final = Fault("none", HOUSE, (), lambda lines: lines)


def planted(shift: Shift, name: str, at: int, folder: Path) -> Path:
    """The shift with the fault of this name in its round `at`, counted from 0, as people then go on."""
    fault = next(one for one in FAULTS if one.name == name)

    def plant(lines: list[Line]) -> list[Line]:
        if name == "misread card":
            fourth = [number for number, line in enumerate(lines) if line["obs"] == "card"][3]
            lines = [{**line, "p": MISREAD_P} if at == fourth else line for at, line in enumerate(lines)]
        told = fault.plant(lines)
        if name == "wrong payout":
            paid = next(number for number, line in enumerate(told) if line["obs"] == "paid")
            told = [*told[: paid + 1], {"t": told[paid]["t"], "obs": "resume", **PIT}, *told[paid + 1 :]]
        return told

    return written(shift, fault._replace(plant=plant), at, folder)[0]


def wrong_rules(shift: Shift, folder: Path) -> Path:
    """The shift under a rule file in which one field is wrong."""
    overrides = {**shift.header["rule_overrides"], "blackjack_pays": [1, 1]}
    told = shift._replace(header={**shift.header, "rule_overrides": overrides})
    return written(told, AS_IT_IS, 0, folder)[0]
