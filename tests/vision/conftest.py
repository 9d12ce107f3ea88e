"""One reader for all tests of this folder: opening it costs a fraction of a second each time."""

import pytest

from vision.reader import CardReader


@pytest.fixture(scope="session")
def reader() -> CardReader:
    return CardReader.open(threads=1)
