"""Two thousand drawn requests: no 5xx, no restart, no entry that does not fold."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from web_kit import Served

from controller.journal.checking import verify
from controller.runtime.restore import ResultVerifier
from tests.limits.request_fuzz import fuzz_of


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as running:
        yield running


def test_no_drawn_request_ends_or_confuses_the_table(tmp_path: Path, served: Served) -> None:
    pit = served.sign_in("P-7").replace("stand17_", "stand17_pit_")
    cookies = {"Cookie": f"{served.sign_in('D-17')}; {pit}"}
    with fuzz_of(served.port, 17, cookies) as fuzz:
        fuzz.run(2000, lambda number: served.deal("9s") if number % 25 == 0 else None)
    assert fuzz.failed == []
    assert fuzz.answers[200] > 100, "some were whole and legal"
    assert fuzz.answers[409] > 100, "some were refused by the table"
    assert fuzz.answers[422] > 100, "some were no requests"
    report = verify(tmp_path / "table.journal", ResultVerifier(), lambda _: None)
    assert (report.misfit, report.ok) == (None, True)
    seen = served.now.state
    served.restart()
    assert served.now.state == seen
