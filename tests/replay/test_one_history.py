"""Whatever people did at a table, every command tells the same rounds, holds and money as the table had.

`python -m tests.replay.one_history 0 2000 DONE` plays more and longer shifts, and goes on where it stopped.
"""

from pathlib import Path

import pytest

from tests.replay.one_history import differences

ROUNDS = 2
BY_DAY = [(seed, ROUNDS) for seed in range(6)]
BY_NIGHT = [(seed, ROUNDS) for seed in range(6, 20)]
# The exported round lacked rulings on earlier rounds (50, 170), or on cards that waited (50, 340, 363).
FOUND = [(seed, 5) for seed in (50, 170, 340, 363)]


@pytest.mark.parametrize(
    ("seed", "rounds"), [*BY_DAY, *(pytest.param(*one, marks=pytest.mark.night) for one in BY_NIGHT + FOUND)]
)
def test_every_command_tells_what_the_table_had(seed: int, rounds: int, tmp_path: Path) -> None:
    assert list(differences(tmp_path, seed, rounds)) == []
