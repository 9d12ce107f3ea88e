"""Whatever people did at a table, every command tells the same rounds, holds and money as the table had.

`python -m tests.replay.one_history 0 2000 DONE` plays more and longer shifts, and goes on where it stopped.
"""

from pathlib import Path

import pytest

from tests.replay.one_history import differences

BY_DAY = range(6)
BY_NIGHT = range(6, 20)
ROUNDS = 2


@pytest.mark.parametrize(
    "seed", [*BY_DAY, *(pytest.param(seed, marks=pytest.mark.night) for seed in BY_NIGHT)]
)
def test_every_command_tells_what_the_table_had(seed: int, tmp_path: Path) -> None:
    assert list(differences(tmp_path, seed, ROUNDS)) == []
