"""The archive's position in a journal, as a receipt to the table."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from controller.journal.copying import NOTHING, Continued
from controller.journal.head_file import Head


class Receipt(NamedTuple):
    """`journal` is the hash of its first entry; `heads` the number of each key's newest signed head."""

    journal: str
    end: Head
    heads: Mapping[str, int]

    @property
    def continued(self) -> Continued:
        """The archive's position."""
        return Continued(self.end, self.heads)

    def encode(self) -> bytes:
        """Return the receipt as JSON."""
        fields = {"seq": self.end.seq, "hash": self.end.hash.hex(), "heads": dict(self.heads)}
        return json.dumps({"journal": self.journal, **fields}).encode()


def nothing_of(journal: str) -> Receipt:
    """The receipt for a journal of which nothing is there."""
    return Receipt(journal, NOTHING, {})


def receipt_of(data: bytes) -> Receipt | None:
    """Read a receipt; None for anything else."""
    try:
        fields = json.loads(data)
        heads = {str(key): int(number) for key, number in fields["heads"].items()}
        end = Head(int(fields["seq"]), bytes.fromhex(fields["hash"]))
        return Receipt(str(fields["journal"]), end, heads)
    except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
