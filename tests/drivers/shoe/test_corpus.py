"""Every input that fuzzing found worth keeping is still read the same, whole and in parts."""

import pytest

from tests.drivers.fuzz_shoe import TARGETS, check, kept


@pytest.mark.parametrize("name", TARGETS)
def test_the_kept_inputs_break_nothing(name: str) -> None:
    inputs = kept(name)
    assert len(inputs) > 100
    events = {type(event).__name__ for data in inputs for event in check(TARGETS[name], data)}
    assert {"CardOut", "LineFault", "Gap"} <= events or name == "open_inside"
