"""What goes over the floor's network: a line that says who has signed it, and then what it says.

a line of JSON with the public key and its signature, then the body as it is
signature = Ed25519 of "stand17 " and what it is for, LF, what it belongs to, LF, and the body
"""

import hashlib
import json
from typing import Final, Literal, NamedTuple

from controller.journal.table_key import TableKey, is_signed_by

Purpose = Literal["command", "answer", "state", "run", "receipt"]
"""What a signature is for: one that was made for something else never counts."""

SEAL_MAX: Final = 400
"""Bytes of the line; ours has 230."""


class Opened(NamedTuple):
    """What was signed, and the public key that has signed it."""

    key: str
    body: bytes


def sealed(purpose: Purpose, body: bytes, key: TableKey, belongs: str = "") -> bytes:
    """Sign what is said; `belongs` is what both ends know and what is not sent, without a line feed."""
    signature = key.sign(_message(purpose, belongs, body)).hex()
    return json.dumps({"key": key.public, "signature": signature}).encode() + b"\n" + body


def opened(purpose: Purpose, data: bytes, belongs: str = "") -> Opened | None:
    """Read what was signed; None where no key has signed this for that purpose."""
    seal, line_feed, body = data.partition(b"\n")
    try:
        fields = json.loads(seal) if line_feed and len(seal) <= SEAL_MAX else {}
        key, signature = str(fields["key"]), bytes.fromhex(fields["signature"])
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
    return Opened(key, body) if is_signed_by(key, _message(purpose, belongs, body), signature) else None


def asked_as(number: str, question: bytes) -> str:
    """What an answer belongs to: this question, asked this once."""
    return f"{number} {hashlib.sha256(question).hexdigest()}"


def run_of(attempt: str, journal: str, name: str) -> str:
    """What a run of lines belongs to: this attempt, for this journal in a file of this name."""
    return f"{attempt} {journal} {name}"


def _message(purpose: Purpose, belongs: str, body: bytes) -> bytes:
    return f"stand17 {purpose}\n{belongs}\n".encode() + body
