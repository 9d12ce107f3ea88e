"""The ledger: everything that follows from the journal's entries, folded one by one."""

from controller.runtime.ledger.beside import NO_ANSWER
from controller.runtime.ledger.draft import COMMAND_KEYS, Folded, feed_object, fold, fold_read
from controller.runtime.ledger.hold_entries import is_doubt, naming_of
from controller.runtime.ledger.ledger import (
    Ledger,
    UnreadEntries,
    Waiting,
    all_waiting,
    open_ledger,
    params_of,
)

__all__ = [
    "COMMAND_KEYS",
    "NO_ANSWER",
    "Folded",
    "Ledger",
    "UnreadEntries",
    "Waiting",
    "all_waiting",
    "feed_object",
    "fold",
    "fold_read",
    "is_doubt",
    "naming_of",
    "open_ledger",
    "params_of",
]
