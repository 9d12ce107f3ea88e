"""What a command writes: whole files, beside what is there. Imports the domain alone.

`evidence`: what no command may ever replace. `writing`: the one way in which a file is written.
`locking`: one writer at a time. `numbered`: files beside another one. `regular_files`: the one way in which a
file is opened that another account may have laid there.
"""

from controller.outputs.csv_cells import CsvWriter
from controller.outputs.evidence import is_evidence
from controller.outputs.locking import lock
from controller.outputs.numbered import anew_beside, next_beside
from controller.outputs.regular_files import open_regular, read_regular
from controller.outputs.writing import FRESH, PRIVATE, PUBLIC, Outputs, is_stream, place

__all__ = [
    "FRESH",
    "PRIVATE",
    "PUBLIC",
    "CsvWriter",
    "Outputs",
    "anew_beside",
    "is_evidence",
    "is_stream",
    "lock",
    "next_beside",
    "open_regular",
    "place",
    "read_regular",
]
