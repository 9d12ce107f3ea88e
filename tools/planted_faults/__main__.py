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
from tools.planted_faults.planting import AS_IT_IS, HOUSE, TOLD, planted, wrong_rules
from tools.planted_faults.plants import dealt, written

ROUNDS: Final = 480


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
