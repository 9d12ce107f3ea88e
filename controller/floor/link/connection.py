"""A connection to the floor's servers that is made again and again, for good."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from nats.aio.client import Client
from nats.errors import Error as NatsError

from controller.config.sections import FloorSection
from controller.journal.keeping import reason_of
from controller.outputs import read_regular
from controller.ports import end_all

AGAIN_S: Final = 1.0
"""Rest before the next server is tried."""

_CONNECT_S: Final = 5.0
PING_S: Final = 2
"""A connection whose other end is gone without a word is given up after three of these."""

_UNREACHABLE: Final = (OSError, NatsError, TimeoutError, ValueError)
"""How a server can be out of reach, or not be what the configuration says."""


class ServerAccess(NamedTuple):
    """The access to the floor's servers; `name` is the name of this client."""

    section: FloorSection
    name: str

    def tls(self) -> ssl.SSLContext | None:
        """Read anew for each connection: certificates are renewed. Raises OSError."""
        known = self.section
        if known.authority is None and known.certificate is None:
            return None
        context = ssl.create_default_context(cafile=known.authority)
        if known.certificate is not None:
            context.load_cert_chain(known.certificate, known.key)
        return context

    def password(self) -> str | None:
        """Return the password of the user; None without one. Raises OSError."""
        file = self.section.password_file
        return None if file is None else _first_line(file)


class _TlsClient(Client):
    """A client that sends its password to no server without TLS; the library alone would obey the server."""

    async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:
        if initial_connection and not info.get("tls_required"):
            raise NatsError("nats: the server does not offer TLS")
        await super()._process_info(info, initial_connection)


Serving = Callable[[Client], Coroutine[Any, Any, None]]
Changed = Callable[[str], None]
"""Gets "" once there is a connection, and why there is none any more."""

Failed = Callable[[Exception], None]
"""Gets what can only be a mistake of this program."""


async def stay_connected(
    access: ServerAccess, serve: Serving, changed: Changed, failed: Failed, again_s: float = AGAIN_S
) -> None:
    """Connect, serve, and reconnect when the connection or the service ends; until cancelled."""
    servers = access.section.servers
    for number in count():
        changed(await _served(access, servers[number % len(servers)], serve, changed, failed))
        await asyncio.sleep(again_s)


async def _served(access: ServerAccess, server: str, serve: Serving, changed: Changed, failed: Failed) -> str:
    """Serve one connection to its end; why it ended."""
    gone, client = asyncio.Event(), _TlsClient() if server.startswith("tls:") else Client()

    async def end() -> None:
        gone.set()

    try:
        await _connect(client, access, server, end)
        changed("")
        await first_of(serve(client), gone.wait())
        return str(client.last_error or "")
    except _UNREACHABLE as error:
        return reason_of(error) if isinstance(error, OSError) else str(error) or type(error).__name__
    except Exception as error:
        failed(error)
        return type(error).__name__
    finally:
        await _close(client)


async def _connect(
    client: Client, access: ServerAccess, server: str, end: Callable[[], Awaitable[None]]
) -> None:
    async def ignore(_: Exception) -> None:
        """Ignore the error: the client reports it when the connection ends."""

    async with asyncio.timeout(_CONNECT_S):
        await client.connect(
            servers=server,
            name=access.name,
            # The client's own reconnection gives up on a server after two refusals.
            allow_reconnect=False,
            connect_timeout=int(_CONNECT_S),
            disconnected_cb=end,
            closed_cb=end,
            error_cb=ignore,
            ping_interval=PING_S,
            tls=access.tls(),
            user=access.section.user or None,
            password=access.password(),
            inbox_prefix=access.section.inbox,
        )


async def _close(client: Client) -> None:
    """Close without waiting for a server that is gone."""
    try:
        async with asyncio.timeout(PING_S):
            await client.close()
    except _UNREACHABLE:
        return


async def first_of(*works: Coroutine[Any, Any, object]) -> None:
    """Run all of them until one ends, and end the others; raises the error that it ended with."""
    running = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end_all(running)
        await asyncio.gather(*running, return_exceptions=True)
    for one in done:
        one.result()


def _first_line(file: Path) -> str:
    return read_regular(file, links=True).decode("utf-8").strip()
