"""What only a simulated table has: faults that the page calls."""

from pathlib import Path

import pytest
from web_kit import Served

from controller.domain import TableError
from controller.screens.words import DEMO_FAULTS, DemoFault, FaultRow
from controller.web.app import document


class Board:
    """A simulation that shows every fault but one."""

    possible = tuple(fault for fault in DEMO_FAULTS if fault != "unread_card")

    def __init__(self) -> None:
        self.speed: float | None = 1.0
        self.called: list[DemoFault] = []
        self.left = False

    def listed(self) -> tuple[FaultRow, ...]:
        return tuple(FaultRow(fault=fault, stage="called") for fault in self.called)

    def call(self, fault: DemoFault, *, left: bool = False) -> None:
        if fault not in self.possible:
            raise TableError("FAULT_NOT_POSSIBLE")
        self.called.append(fault)
        self.left = left


def test_a_live_table_has_no_faults_to_call(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        status, _ = served.post("/api/faults", {"fault": "drew_on_17"})
        assert status in (404, 405)
        assert served.state()["faults"] == []
    assert "/api/faults" not in document()["paths"]


def test_a_fault_that_is_called_shows_at_once(tmp_path: Path) -> None:
    board = Board()
    with Served(tmp_path, mode="simulation", faults=board) as served:
        before = {row["fault"]: row["stage"] for row in served.state()["faults"]}
        assert set(before) == set(board.possible)
        assert set(before.values()) == {"ready"}
        assert served.post("/api/faults", {"fault": "wrong_payout", "left": True})[0] == 200
        assert board.left
        board.called.clear()
        assert served.post("/api/faults", {"fault": "drew_on_17"})[0] == 200
        # And the simulation pauses, or plays faster, as the page wants it.
        for speed, status in ((0, 200), (2.5, 200), (21, 422)):
            assert served.post("/api/speed", {"speed": speed})[0] == status
        assert (board.speed, served.state()["speed"]) == (2.5, 2.5)
        assert {row["fault"] for row in served.state()["faults"] if row["stage"] == "called"} == {
            "drew_on_17"
        }


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("unread_card", 409, "refused.FAULT_NOT_POSSIBLE"),
        ("no_such_fault", 422, "error.REQUEST_WRONG"),
    ],
)
def test_a_fault_that_cannot_be_shown_is_refused(tmp_path: Path, fault: str, status: int, code: str) -> None:
    with Served(tmp_path, mode="simulation", faults=Board()) as served:
        answered, answer = served.post("/api/faults", {"fault": fault})
        assert (answered, answer["code"]) == (status, code)
