"""Ten thousand draws of ten kinds through the simulated reader at a real table; for the night."""

import pytest

from tests.hardware.many_passages import run

DRAWS = 10_000
NAMED_MIN = 0.999


@pytest.mark.night
@pytest.mark.timeout(6 * 3600)
def test_no_card_is_counted_or_named_wrong_in_silence() -> None:
    account = run(DRAWS, seed=1)
    assert account.faults == []
    assert account.named["1 m/s"] >= NAMED_MIN * account.drawn["1 m/s"]
