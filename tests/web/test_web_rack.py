"""The rack's count beside the table's: compared once both rest, and not over cards of two shoes."""

from view_kit import after, cards, snapshot, table

from controller.acts.catalogue import Bet, Decision, End, Observation, ShoeLoaded
from controller.devices.inputs.rack import RackMonitor
from controller.engine.state import TableState

SECOND_NS = 1_000_000_000
SPENT: tuple[Observation, ...] = (
    ShoeLoaded(6, 4),
    Bet(1, 0, 1000),
    *cards("10", "9", "4", "8"),
    Decision(1, 1, "hit"),
)
"""The whole of a small shoe is on the table, and box 1 is owed a card."""


def told(monitor: RackMonitor, state: TableState, now_s: int) -> tuple[str, str] | None:
    """The code and the expected number of what the monitor says now."""
    trouble = monitor.judge(snapshot(state), now_s * SECOND_NS)
    return None if trouble is None else (trouble.code, str(dict(trouble.params)["expected"]))


def test_a_difference_is_told_once_it_has_rested() -> None:
    monitor = RackMonitor("rack", 0, 1000)
    state = after(table(), ShoeLoaded(6))
    monitor.counted(3, 0)
    assert told(monitor, state, 0) is None
    assert told(monitor, state, 2) == ("RACK_DIFFERS", "0")
    assert told(monitor, state, 3) is None


def test_a_shoe_brought_inside_a_round_leaves_cards_of_two_in_the_rack() -> None:
    monitor = RackMonitor("rack", 0, 1000)
    state = after(table(), *SPENT, ShoeLoaded(6), *cards("9"), End())
    inside = after(table(), *SPENT, ShoeLoaded(6))
    assert told(monitor, inside, 0) is None
    monitor.counted(5, 1 * SECOND_NS)
    assert told(monitor, state, 5) is None, "the old shoe's four cards are in the rack, too"
    assert told(monitor, state, 9) is None
    fresh = after(state, ShoeLoaded(6))
    monitor.counted(0, 10 * SECOND_NS)
    assert told(monitor, fresh, 10) is None
    monitor.counted(2, 11 * SECOND_NS)
    assert told(monitor, fresh, 11) is None
    assert told(monitor, fresh, 20) == ("RACK_DIFFERS", "0")
