"""Page, report, table and books tell one shift, and no reader tells a card that lies face down."""

from pathlib import Path

import pytest

from tests.history.money_shift import differences


@pytest.mark.parametrize("seed", range(20))
def test_every_figure_of_a_shift_is_the_same_for_every_reader(seed: int, tmp_path: Path) -> None:
    assert list(differences(tmp_path, seed)) == []
