"""The dealer rules engine: pure functions over immutable state, no I/O, clock, logging or randomness."""

from controller.engine.concluding import Step
from controller.engine.round.expected import Expected, expected
from controller.engine.round.legal import OfferedAct, legal
from controller.engine.state import TableState, new_table
from controller.engine.table import step

__all__ = ["Expected", "OfferedAct", "Step", "TableState", "expected", "legal", "new_table", "step"]
