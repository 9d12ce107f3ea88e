"""The demo is killed without warning, three times; each restart is exactly what was shown before."""

from pathlib import Path

import pytest

from tests.whole.crash import Kill, crash_loop

pytestmark = pytest.mark.night


def test_a_killed_table_comes_back_in_the_exact_state(tmp_path: Path) -> None:
    kills = list[Kill]()
    assert crash_loop(tmp_path, 3, 4711, kills.append)
    assert [kill.fault for kill in kills] == [None, None, None]
    assert kills[-1].seq > kills[0].seq > 2
