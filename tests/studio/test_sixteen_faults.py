"""Sixteen faults, each in a shift of its own: where the list of a tester's screen begins."""

from pathlib import Path

import pytest

from tests.planted_faults.sixteen import FIRST, places


@pytest.mark.night
@pytest.mark.parametrize("wide", [False, True], ids=["usual stakes", "stakes of a wide spread"])
def test_what_can_be_known_without_a_truth_file_is_among_the_first_six_places(
    tmp_path: Path, wide: bool
) -> None:
    found = {trial.name: place for trial, place, _ in places(tmp_path, wide=wide)}
    assert len(found) == 16
    assert [name for name, place in found.items() if not 0 < place <= FIRST] == [
        "card read surely as another one",
        "double reported as hit and stand",
        "two cards in the other order",
    ]
