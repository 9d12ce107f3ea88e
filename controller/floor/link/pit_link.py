"""The pit's end of the floor's network: states of tables in, questions to them out. Used on one loop."""

import asyncio
import secrets
from collections.abc import Callable
from typing import Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError

from controller.domain import TableError
from controller.floor.link.connection import Changed, Failed, ServerAccess, stay_connected
from controller.floor.link.proven_states import ProvenStates
from controller.floor.link.subjects import ASKED, STATES, commands_of, key_of, views_of
from controller.floor.sealed import asked_as, opened

COMMAND_S: Final = 4.0
"""How long a table may take to answer a command; the page sends it again, and it takes effect once."""

VIEW_S: Final = 3.0

_SECOND_S: Final = 0.5
"""How long another machine with a table's key has to answer after the first one."""


class PitLink:
    """The tables that show themselves on the network."""

    def __init__(
        self,
        stated: Callable[[str, bytes], None],
        changed: Changed,
        failed: Failed,
        doubted: Callable[[str], None] = lambda _key: None,
        twice: Callable[[str], None] = lambda _key: None,
        *,
        new_id: Callable[[], str] = secrets.token_hex,
    ) -> None:
        """Prepare the link; `stated` gets a table's key and state, `doubted` the key of a doubtful state.

        `twice` gets a key under which two machines run. `new_id` names a question; the other arguments as in
        `stay_connected`.
        """
        self._changed, self._failed, self._new_id = changed, failed, new_id
        self._states = ProvenStates(self._last_of, stated, doubted, twice)
        self._client: Client | None = None

    async def run(self, access: ServerAccess) -> None:
        """Stay connected, until cancelled."""
        await stay_connected(access, self._serve, self._changed, self._failed)

    async def ask(self, table: str, command: bytes) -> bytes:
        """Have a table do something. Raises `TableError` TABLE_NOT_REACHED, TABLE_UNANSWERED."""
        return await self._asked(table, commands_of(table), command, COMMAND_S)

    async def view(self, table: str, newer_than: int) -> bytes:
        """Ask for a view newer than this version of the table's; raises as `ask`."""
        return await self._asked(table, views_of(table), str(newer_than).encode(), VIEW_S)

    async def _last_of(self, table: str) -> tuple[str, ...]:
        """The last state of each machine with this key that answers in time."""
        if self._client is None:
            raise TableError("TABLE_NOT_REACHED")
        number, inbox, found = self._new_id(), self._client.new_inbox(), list[str]()
        answers = await self._client.subscribe(inbox)
        try:
            await self._client.publish(views_of(table), b"", reply=inbox, headers={ASKED: number})
            rest_s = VIEW_S
            while True:
                answer = await answers.next_msg(timeout=rest_s)
                said = opened("answer", answer.data, asked_as(number, b""))
                if said is not None and said.key == table:
                    found.append(said.body.decode(errors="replace"))
                    rest_s = _SECOND_S
        except NatsError as error:
            if not found:
                raise TableError("TABLE_UNANSWERED") from error
        finally:
            await answers.unsubscribe()
        return tuple(found)

    async def _asked(self, table: str, subject: str, data: bytes, within_s: float) -> bytes:
        """Ask once; an answer that the table has not signed for this question is none."""
        if self._client is None:
            raise TableError("TABLE_NOT_REACHED")
        number = self._new_id()
        try:
            answer = await self._client.request(subject, data, timeout=within_s, headers={ASKED: number})
        except NoRespondersError as error:
            raise TableError("TABLE_NOT_REACHED") from error
        except NatsError as error:
            # It may have been taken all the same.
            raise TableError("TABLE_UNANSWERED") from error
        found = opened("answer", answer.data, asked_as(number, data))
        if found is None or found.key != table:
            raise TableError("TABLE_UNANSWERED")
        return found.body

    async def _serve(self, client: Client) -> None:
        async def take(message: Msg) -> None:
            self._states.take(key_of(message.subject), message.data)

        await client.subscribe(STATES, cb=take)
        self._client = client
        try:
            await asyncio.Event().wait()
        finally:
            self._client = None
