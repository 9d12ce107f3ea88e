"""The two lines that the tests of devices at a live table have: a shoe's, and one for anything else."""

from collections.abc import Iterator

import pytest

from drivers.simulated import PtyLine, PtyShoe


@pytest.fixture
def shoe() -> Iterator[PtyShoe]:
    made = PtyShoe()
    yield made
    made.close()


@pytest.fixture
def line() -> Iterator[PtyLine]:
    made = PtyLine()
    yield made
    made.close()
