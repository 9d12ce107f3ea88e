"""What a genuine checkpoint says the table was; one that makes no sense is refused."""

from typing import Final

from controller.domain.errors import ConfigError
from controller.journal.checkpoint_file import Checkpoint, CheckpointRefused
from controller.journal.entry import Entry
from controller.runtime.checkpoint.state_parts import ledger_of
from controller.runtime.ledger import Ledger, open_ledger

NOT_READ: Final = (ConfigError, IndexError, KeyError, RecursionError, TypeError, ValueError, AttributeError)
"""What parts that this program did not write make of themselves."""


def kept_ledger(found: Checkpoint, opened: Entry) -> Ledger:
    """The state of a checkpoint; `opened` is the first entry of its journal.

    Raises `CheckpointRefused` CHECKPOINT_DAMAGED, or CHECKPOINT_FORGED where it goes by other rules.
    """
    try:
        ledger = ledger_of(found.parts, opened)
    except NOT_READ as error:
        raise CheckpointRefused("CHECKPOINT_DAMAGED") from error
    if not _same_rules(ledger, open_ledger(opened)):
        raise CheckpointRefused("CHECKPOINT_FORGED")
    return ledger


def _same_rules(ledger: Ledger, first: Ledger) -> bool:
    """Whether a state goes by the rules of entry 1; limits alone may change within a journal."""
    own, opened = ledger.state.book.rules, first.state.book.rules
    limits = {name: getattr(own, name) for name in ("stake_min", "stake_max", "stake_step")}
    return opened._replace(**limits) == own and ledger.opening == first.opening
