"""The table's own policy, pure: who may tell what, what holds, which ways lead out, what is asked.

The live table's door and `stand17 replay --table` both go through `decide`.
"""

from controller.table.decide import Decided, decide, go_on, hold_over
from controller.table.options import DEFAULT_OPTIONS, TableOptions
from controller.table.people import Person
from controller.table.run import House, SecondPerson, TableRun, new_run
from controller.table.told import Doubt, Told

__all__ = [
    "DEFAULT_OPTIONS",
    "Decided",
    "Doubt",
    "House",
    "Person",
    "SecondPerson",
    "TableOptions",
    "TableRun",
    "Told",
    "decide",
    "go_on",
    "hold_over",
    "new_run",
]
