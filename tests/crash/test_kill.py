"""The demo is killed without warning, three times; each restart is exactly what was shown before."""

import pytest

from tests.replay.replay_kit import call, objects

pytestmark = pytest.mark.night


def test_a_killed_table_comes_back_in_the_exact_state() -> None:
    told = call("bench", "crash", "--kills", "3", "--seed", "4711", "--json")
    (answer,) = objects(told)
    kills = answer["kills"]
    assert [kill["fault"] for kill in kills] == [None, None, None]
    assert answer["exact"]
    assert told.returncode == 0
    assert kills[-1]["seq"] > kills[0]["seq"] > 2
