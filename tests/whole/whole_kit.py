"""A simulated shift with everybody at the table: screens that break, and a thief when it is closed.

Then its journal is archived beside a hostile member of the floor.
"""

from collections.abc import Mapping
from pathlib import Path

from controller.journal.head_file import CREDENTIAL, TableKey
from tests.floor.hostile_member import archive_under_a_hostile_member
from tests.whole.screens_kit import Screens
from tests.whole.script import SeededScript
from tests.whole.shift import EndCheck, SeededShift, ShiftEnd
from tests.whole.simulate import NO_OVERRIDES, Overrides, RunOpening
from tests.whole.thief import Thief


def play_with_all(
    folder: Path,
    script: SeededScript,
    rounds: int,
    check: EndCheck = lambda _journal, _done: None,
    overrides: Overrides = NO_OVERRIDES,
) -> ShiftEnd:
    """Play a shift as `tests.whole.simulate` does; `check` comes behind its own and the thief's."""
    opening = RunOpening(folder, script, overrides)
    screens, thief = Screens(script.seed), Thief(opening.journal, script.seed)

    def checks(journal: Path, done: Mapping[str, int]) -> None:
        opening.check(journal, done)
        screens.check(journal)
        thief.steal(opening.named)
        archive_under_a_hostile_member(journal, script.seed, TableKey.load(journal.with_name(CREDENTIAL)))
        check(journal, done)

    shift = SeededShift(script, opening.journal, opening.open, opening.rules, screens)
    return shift.play(rounds, checks)
