"""One server of a floor's network for all tests of a worker; each finds it running, and empty."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.floor import table_link
from tests.floor.broker_kit import Broker


@pytest.fixture(scope="session")
def one_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    found = Broker(Path(tmp_path_factory.mktemp("broker")))
    yield found
    found.kill()


@pytest.fixture
def broker(one_broker: Broker) -> Broker:
    one_broker.start()
    one_broker.empty()
    return one_broker


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rests that only spare a server: no test waits for them."""
    monkeypatch.setattr(table_link, "RETRY_S", 0.1)
    monkeypatch.setattr(table_link, "ANSWER_S", 0.5)
    monkeypatch.setattr(table_link, "CLOSING_S", 0.2)
    monkeypatch.setattr(table_link, "BEAT_S", 0.1)
