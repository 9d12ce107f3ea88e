"""A table's journal in an archive to which a hostile member sends what it likes."""

from pathlib import Path
from typing import Final

import pytest

from controller.journal.head_file import TableKey
from tests.floor.hostile_member import archive_under_a_hostile_member

JOURNAL: Final = Path(__file__).parents[1] / "journals" / "release_0.1.0_six_rounds.journal"


@pytest.mark.parametrize("seed", range(8))
def test_an_archive_under_a_hostile_member_has_the_table_s_journal(tmp_path: Path, seed: int) -> None:
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    archive_under_a_hostile_member(JOURNAL, seed, key)
