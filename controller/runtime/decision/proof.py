"""What an entry says of the command that led to it: its id, a hash of what was asked, and who signed."""

import hashlib
from typing import Final

from controller.journal.upcast import Body
from controller.runtime.api import Command
from controller.runtime.ledger import Ledger

HASH_BYTES: Final = 8
"""Enough to tell the acts of one day apart."""


def proof_of(ledger: Ledger, command: Command) -> Body:
    """Write what proves a command beside what it led to; {} for a device's, which has no id."""
    proof: Body = {}
    if command.command_id:
        proof["command"] = command.command_id
        if command.meaning:
            proof["meaning"] = meaning_hash(ledger, command)
    if command.second:
        proof["signed"] = [command.actor, command.second]
    return proof


def meaning_hash(ledger: Ledger, command: Command) -> str:
    """Hash who asked what; "" where that is not known.

    With the journal's own key: of a ruling on a face-down card 52 guesses would else find the card.
    """
    if not command.meaning:
        return ""
    asked = f"{command.role}:{command.actor}:{command.second}\n{command.meaning}"
    return hashlib.blake2b(asked.encode(), key=ledger.opening.key, digest_size=HASH_BYTES).hexdigest()
