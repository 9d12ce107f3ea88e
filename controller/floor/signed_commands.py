"""A command of the pit to a table, signed by the pit's server, and its answer."""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from controller.domain import TableError
from controller.floor.sealed import opened, sealed
from controller.journal.head_file import TableKey

_COMMAND_MAX: Final = 20_000
"""Bytes; the longest act has about 1,000."""


class AskedCommand(NamedTuple):
    """A command of the pit to a table.

    `table` is its public key, `journal` the hash of its journal's first entry. `act` is the act of a screen;
    `second` is the second person, "" for none. The other fields as in `controller.runtime.api.Command`.
    """

    table: str
    journal: str
    command_id: str
    actor: str
    expected_seq: int
    act: Mapping[str, Any]
    second: str = ""


class TakenCommand(NamedTuple):
    """A command with a valid signature, and the key of the server that has signed it."""

    asked: AskedCommand
    commander: str


def signed_command(asked: AskedCommand, key: TableKey) -> bytes:
    """Sign a command."""
    return sealed("command", json.dumps(asked._asdict(), separators=(",", ":")).encode(), key)


def taken_command(data: bytes, commanders: Collection[str]) -> TakenCommand:
    """Read a command. Raises `TableError` COMMAND_NOT_SIGNED unless one of these keys has signed it."""
    found = opened("command", data[:_COMMAND_MAX])
    if found is None or found.key not in commanders:
        raise TableError("COMMAND_NOT_SIGNED")
    try:
        return TakenCommand(AskedCommand(**json.loads(found.body)), found.key)
    except (RecursionError, TypeError, ValueError) as error:
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
    except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise TableError("TABLE_UNANSWERED") from error
    raise refusal
