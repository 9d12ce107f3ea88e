"""The pit's end of the floor's network: what tables show in, questions to them out. Used on one loop."""

import asyncio
from collections.abc import Callable
from typing import Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError

from controller.domain.errors import TableError
from controller.floor.link.connection import Changed, Failed, ServerAccess, stay_connected
from controller.floor.link.subjects import STATES, commands_of, views_of

COMMAND_S: Final = 4.0
"""How long a table may take to answer a command; the page sends it again, and it takes effect once."""

VIEW_S: Final = 3.0


class PitLink:
    """The tables that show themselves on the network."""

    def __init__(self, stated: Callable[[bytes], None], changed: Changed, failed: Failed) -> None:
        """`stated` gets what a table shows; the rest as in `stay_connected`."""
        self._stated, self._changed, self._failed = stated, changed, failed
        self._client: Client | None = None

    async def run(self, access: ServerAccess) -> None:
        """Stay connected, until cancelled."""
        await stay_connected(access, self._serve, self._changed, self._failed)

    async def ask(self, table: str, command: bytes) -> bytes:
        """Have a table do something. Raises `TableError` TABLE_NOT_REACHED, TABLE_UNANSWERED."""
        return await self._asked(commands_of(table), command, COMMAND_S)

    async def view(self, table: str, newer_than: int) -> bytes:
        """Ask for a view newer than this version of the table's; raises as `ask`."""
        return await self._asked(views_of(table), str(newer_than).encode(), VIEW_S)

    async def _asked(self, subject: str, data: bytes, within_s: float) -> bytes:
        if self._client is None:
            raise TableError("TABLE_NOT_REACHED")
        try:
            answer = await self._client.request(subject, data, timeout=within_s)
        except NoRespondersError as error:
            raise TableError("TABLE_NOT_REACHED") from error
        except NatsError as error:
            # It may have been taken all the same.
            raise TableError("TABLE_UNANSWERED") from error
        return answer.data

    async def _serve(self, client: Client) -> None:
        async def take(message: Msg) -> None:
            self._stated(message.data)

        await client.subscribe(STATES, cb=take)
        self._client = client
        try:
            await asyncio.Event().wait()
        finally:
            self._client = None
