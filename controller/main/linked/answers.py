"""What a table answers to the pit's server, between the link's thread and its own loop."""

import asyncio
import json
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from controller.domain import TableError
from controller.floor.signed_commands import AskedCommand, TakenCommand, accepted, refused, taken_command
from controller.people.person import PeopleBook
from controller.people.sign_in import Session, session_of_record
from controller.runtime.failures import FailureSink
from controller.screens.shapes.acts import ScreenAct
from controller.screens.table_screens import TableScreens
from controller.screens.wire import ScreenCommand, require_second

VIEW_S: Final = 1.0
"""How long a question for a newer view waits."""

COMMAND_S: Final = 10.0
"""How long the table may take for a command of the floor."""

NAME: Final = "floor"
_ACT: Final[TypeAdapter[ScreenAct]] = TypeAdapter(ScreenAct)
AnswerT = TypeVar("AnswerT")


class FloorTable(NamedTuple):
    """A table on its present day: its public key, and the hash of its journal's first entry."""

    key: str
    journal: str


class FloorAnswers:
    """Answers what the pit's server asks, through the table's own door. Made on the table's loop."""

    def __init__(
        self,
        table: FloorTable,
        commanders: tuple[str, ...],
        screens: TableScreens,
        book: PeopleBook,
        failures: FailureSink,
    ) -> None:
        """`commanders` are the public keys of the pit's servers that may command."""
        self._table, self._commanders = table, frozenset(commanders)
        self._screens, self._book, self._failures = screens, book, failures
        self._loop = asyncio.get_running_loop()

    async def command(self, data: bytes) -> bytes:
        """Do what is asked, or say why not. On the link's loop."""
        try:
            taken = taken_command(data, self._commanders)
            return accepted(await self._at_table(self._take(taken), COMMAND_S))
        except TableError as refusal:
            return refused(refusal)
        except TimeoutError:
            return refused(TableError("TABLE_UNANSWERED"))
        except Exception as error:
            self._failures.failed(NAME, error)
            return refused(TableError("NOT_TAKEN"))

    async def view(self, data: bytes) -> bytes:
        """Give a view newer than the version that the question names; after a while the same one again."""
        with suppress(TimeoutError):
            return await self._at_table(self._view(data), VIEW_S + COMMAND_S)
        return b""

    async def _at_table(self, work: Coroutine[Any, Any, AnswerT], within_s: float) -> AnswerT:
        """Run it on the table's loop."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        async with asyncio.timeout(within_s):
            return await asyncio.wrap_future(future)

    async def _view(self, data: bytes) -> bytes:
        broadcaster = self._screens.broadcaster
        with suppress(TimeoutError, ValueError):
            version = int(data or b"0")
            async with asyncio.timeout(VIEW_S):
                await broadcaster.newer(version)
        latest = broadcaster.latest()
        return f'{{"version":{latest.version},"view":{latest.body}}}'.encode()

    async def _take(self, taken: TakenCommand) -> int:
        try:
            return await self._screens.commands.take(self._command(taken))
        finally:
            self._screens.broadcaster.wake()

    def _command(self, taken: TakenCommand) -> ScreenCommand:
        """Check what no signature says: the table, the day, the people, the act. Raises `TableError`."""
        asked = taken.asked
        if (asked.table, asked.journal) != self._table:
            raise TableError("COMMAND_FOR_ANOTHER")
        actor, act = self._person(asked.actor), _act_of(asked)
        if actor.line_role != "pit":
            raise TableError("NOT_ALLOWED", role=actor.role)
        if asked.second:
            second = self._person(asked.second)
            require_second(actor.person_id, second.person_id, second.line_role, act)
        return ScreenCommand(
            asked.command_id,
            asked.expected_seq,
            actor.person_id,
            "pit",
            act,
            asked.second,
            commander=taken.commander,
        )

    def _person(self, person_id: str) -> Session:
        """Somebody whom this table's own people know, in the role that he has here."""
        record = self._book.register().person(person_id)
        if record is None:
            raise TableError("PERSON_UNKNOWN_HERE", id=person_id)
        return session_of_record(record)


def _act_of(asked: AskedCommand) -> ScreenAct:
    try:
        act = _ACT.validate_json(json.dumps(asked.act))
    except ValidationError as error:
        raise TableError("REQUEST_WRONG", field="act", reason=error.errors()[0]["msg"]) from error
    if not 8 <= len(asked.command_id) <= 64:
        raise TableError("REQUEST_WRONG", field="command_id", reason="8 to 64")
    return act
