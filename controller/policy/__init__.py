"""The table's policy, pure: permissions, holds, ways out, and questions.

The live table and `stand17 replay --table` both call `decide`.
"""

from controller.policy.decide import Decided, decide, go_on, hold_over
from controller.policy.line import DEFAULT_OPTIONS, Doubt, Person, TableLine, TableOptions
from controller.policy.run import House, SecondPerson, TableRun, new_run

__all__ = [
    "DEFAULT_OPTIONS",
    "Decided",
    "Doubt",
    "House",
    "Person",
    "SecondPerson",
    "TableLine",
    "TableOptions",
    "TableRun",
    "decide",
    "go_on",
    "hold_over",
    "new_run",
]
