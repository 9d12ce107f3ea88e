"""Messages on the floor's network: a line with the signer, and then the content.

a line of JSON with the public key and its signature, then the body as it is
signature = Ed25519 of "stand17 " and the purpose, LF, the context, LF, and the body
"""

import hashlib
import json
from typing import Final, Literal, NamedTuple

from controller.journal.head_file import TableKey, is_signed_by

Purpose = Literal["command", "answer", "state", "run", "receipt"]
"""What a signature is for: one that was made for something else never counts."""

SEAL_MAX: Final = 400
"""Bytes of the line; ours has 230."""


class Opened(NamedTuple):
    """The signed content, and the public key that has signed it."""

    key: str
    body: bytes


def sealed(purpose: Purpose, body: bytes, key: TableKey, belongs: str = "") -> bytes:
    """Sign a message; `belongs` is its context, which both ends know and which is not sent; no line feed."""
    signature = key.sign(_message(purpose, belongs, body)).hex()
    return json.dumps({"key": key.public, "signature": signature}).encode() + b"\n" + body


def opened(purpose: Purpose, data: bytes, belongs: str = "") -> Opened | None:
    """Return the signed content; None without a valid signature for that purpose."""
    seal, line_feed, body = data.partition(b"\n")
    try:
        fields = json.loads(seal) if line_feed and len(seal) <= SEAL_MAX else {}
        key, signature = str(fields["key"]), bytes.fromhex(fields["signature"])
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
    return Opened(key, body) if is_signed_by(key, _message(purpose, belongs, body), signature) else None


def asked_as(number: str, question: bytes) -> str:
    """Return the context of an answer: this question, asked this once."""
    return f"{number} {hashlib.sha256(question).hexdigest()}"


def run_of(attempt: str, journal: str, name: str) -> str:
    """Return the context of a run of lines: this attempt, for this journal in a file of this name."""
    return f"{attempt} {journal} {name}"


def _message(purpose: Purpose, belongs: str, body: bytes) -> bytes:
    return f"stand17 {purpose}\n{belongs}\n".encode() + body
