"""Which rounds are dealt by day, and which by night."""

import pytest


@pytest.fixture(params=["day", pytest.param("night", marks=pytest.mark.night)])
def seeds(request: pytest.FixtureRequest) -> range:
    """The rounds that are dealt, by their seeds; a module's `SEEDS` are how many by day, and in all."""
    by_day, in_all = request.module.SEEDS
    return range(by_day) if request.param == "day" else range(by_day, in_all)
