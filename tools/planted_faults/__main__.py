"""Plant ten faults in a shift of eight hours, hunt each, print JSON: `python -m tools.planted_faults`."""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Final

from tools.planted_faults.hunt import differences_under, hunt
from tools.planted_faults.journal import HAPPENINGS, journal_with
from tools.planted_faults.ordinary import with_ordinary_events
from tools.planted_faults.plants import FAULTS, PIT, Fault, Line, Shift, dealt, written

HOUSE: Final = "fr"
ROUNDS: Final = 480
MISREAD_P: Final = 0.97
"""A reader that takes a card for another is less sure of it than of the rest."""

TOLD: Final = (
    "misread card",
    "lost card",
    "wrong stake",
    "mis-tapped decision",
    "wrong payout",
    "gap of the shoe",
)
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
    return written(shift._replace(header={**shift.header, "rule_overrides": overrides}), AS_IT_IS, 0, folder)[
        0
    ]


def tell(name: str, **figures: object) -> None:
    """One fault's figures as a line of JSON, at once."""
    sys.stdout.write(json.dumps({"fault": name, **figures}) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Plant and hunt one fault after the other."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--rounds", type=int, default=ROUNDS)
    asked.add_argument("--seed", type=int, default=17)
    told = asked.parse_args()
    at = told.rounds // 2
    shift = with_ordinary_events(dealt(HOUSE, told.rounds), told.seed, at)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in TOLD:
            tell(name, file="feed", **hunt(planted(shift, name, at, folder), at + 1)._asdict())
        feed, _ = written(shift, AS_IT_IS, at, folder)
        for number, happening in enumerate(HAPPENINGS):
            # The header is the first line of a feed, and lines count from 1.
            journal = journal_with(feed, folder / f"{number}.journal", happening, shift.rounds[at].start + 5)
            tell(happening, file="journal", **hunt(journal, at + 1)._asdict())
        differences, seconds = differences_under(wrong_rules(shift, folder), HOUSE)
        tell("wrong rule field", file="feed", differences=differences, compare_s=seconds)


if __name__ == "__main__":
    main()
