"""A floor's server for a test, which ends with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.floor.broker_kit import Broker


@pytest.fixture
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    found = Broker(Path(tmp_path_factory.mktemp("broker")))
    found.start()
    yield found
    found.kill()
