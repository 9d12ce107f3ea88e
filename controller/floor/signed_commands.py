"""A command of the pit on its way to a table: signed by the pit's server, and what became of it.

a line of JSON with the server's public key and its signature, then the command as JSON
signature = Ed25519 of "stand17 command" LF and the command's bytes
"""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from controller.domain.errors import TableError
from controller.journal.table_key import TableKey, is_signed_by

COMMAND_MAX: Final = 20_000
"""Bytes; the longest act has about 1,000."""

_PREFIX: Final = b"stand17 command\n"


class AskedCommand(NamedTuple):
    """What somebody of the pit asks of a table.

    `table` is its public key, `journal` the hash of its journal's first entry. `act` is the act of a screen;
    `second` who signs with the actor, "" for nobody. The rest as in `controller.runtime.api.Command`.
    """

    table: str
    journal: str
    command_id: str
    actor: str
    expected_seq: int
    act: Mapping[str, Any]
    second: str = ""


class TakenCommand(NamedTuple):
    """A command whose signature is genuine, and the key of the server that has signed it."""

    asked: AskedCommand
    commander: str


def signed_command(asked: AskedCommand, key: TableKey) -> bytes:
    """Sign a command."""
    body = json.dumps(asked._asdict(), separators=(",", ":")).encode()
    signature = key.sign(_PREFIX + body).hex()
    return json.dumps({"key": key.public, "signature": signature}).encode() + b"\n" + body


def taken_command(data: bytes, commanders: Collection[str]) -> TakenCommand:
    """Read a command. Raises `TableError` COMMAND_NOT_SIGNED where none of these keys has signed it."""
    seal, _, body = data[:COMMAND_MAX].partition(b"\n")
    try:
        fields = json.loads(seal)
        key, signature = str(fields["key"]), bytes.fromhex(fields["signature"])
        if key not in commanders or not is_signed_by(key, _PREFIX + body, signature):
            raise TableError("COMMAND_NOT_SIGNED")
        return TakenCommand(AskedCommand(**json.loads(body)), key)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise TableError("COMMAND_NOT_SIGNED") from error


def accepted(seq: int) -> bytes:
    """The answer to a command that is durable and visible."""
    return json.dumps({"seq": seq}).encode()


def refused(refusal: TableError) -> bytes:
    """The answer to a command that has changed nothing."""
    return json.dumps({"code": refusal.code, "params": refusal.params}).encode()


def answer_of(data: bytes) -> int:
    """Read an answer: the sequence of the last entry. Raises the `TableError` in it."""
    try:
        fields = json.loads(data)
        if "code" not in fields:
            return int(fields["seq"])
        refusal = TableError(str(fields["code"]), **fields["params"])
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise TableError("TABLE_UNANSWERED") from error
    raise refusal
