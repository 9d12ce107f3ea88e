"""The root: puts configuration, devices, table and page together and runs them. May import everything.

Nothing but the command line imports it.
"""

from controller.main.compose import run_table
from controller.main.table_parts import TableSetup
from controller.main.table_people import demo_people, people_file
from controller.main.version import installed, version_lines

__all__ = [
    "TableSetup",
    "demo_people",
    "installed",
    "people_file",
    "run_table",
    "version_lines",
]
