"""Whatever people did at a table, every command tells the same rounds, holds and money as the table had.

`python -m tests.replay.one_history 0 2000 DONE` plays more and longer shifts, and goes on where it stopped.
"""

from pathlib import Path

import pytest

from tests.replay.one_history import differences

SEEDS = 20
ROUNDS = 2


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_command_tells_what_the_table_had(seed: int, tmp_path: Path) -> None:
    assert list(differences(tmp_path, seed, ROUNDS)) == []
