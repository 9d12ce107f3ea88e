"""The dealer rules engine: pure functions over immutable state, no I/O, clock, logging or randomness."""

from controller.engine.cards import Expected, expected
from controller.engine.offers import OfferedAct, legal
from controller.engine.state import TableState, new_table
from controller.engine.table import Step, step

__all__ = ["Expected", "OfferedAct", "Step", "TableState", "expected", "legal", "new_table", "step"]
