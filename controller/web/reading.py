"""The readers of a table: people signed in at the screen, and the house's monitoring by a token.

The page with its texts, the sign-in, and the health check are open to all.
"""

import hmac
from typing import Final

from fastapi import Depends
from starlette.requests import HTTPConnection

from controller.acts.declaring import Act
from controller.domain import TableError
from controller.people.sign_in import Session, Sessions
from controller.policy.allowed import may_ever
from controller.web.parts import Parts
from controller.web.session import left_s_of, reader_of, readers_of

_BEARER: Final = "Bearer "
_MOMENT_S: Final = 0.001
"""A session is over after its last moment, not in it."""


class NotSignedIn(TableError):
    """No signed-in reader is at this screen; answered 401."""

    def __init__(self) -> None:
        """Use the one code for every reason."""
        super().__init__("SIGN_IN_NEEDED")


async def require_reader(connection: HTTPConnection) -> Session:
    """Find who looks; raises `NotSignedIn`."""
    found = reader_of(connection)
    if found is None:
        raise NotSignedIn
    return found


async def _require_auditor(connection: HTTPConnection) -> Session:
    """Return a person who may read the audit trail; raises `NotSignedIn`, NOT_ALLOWED without one."""
    looking = await require_reader(connection)
    for found in readers_of(connection):
        if may_ever(found.role, Act.AUDIT):
            return found
    raise TableError("NOT_ALLOWED", role=looking.role)


async def _require_figures(connection: HTTPConnection, parts: Parts) -> None:
    """Admit the house's monitoring with the configured token, and every reader of the table.

    Raises `NotSignedIn`.
    """
    token, bearer = parts.settings.metrics_token, connection.headers.get("authorization", "")
    # Compared in constant time: how long it takes tells nothing of the token.
    if token and hmac.compare_digest(bearer.encode(), f"{_BEARER}{token}".encode()):
        return
    await require_reader(connection)


class SocketReader:
    """The reader of an open socket."""

    def __init__(self, connection: HTTPConnection, sessions: Sessions) -> None:
        """The person is known by the cookies that the socket was opened with."""
        self._connection = connection
        self._sessions = sessions

    def reads(self) -> bool:
        """Whether the reader is still signed in."""
        return reader_of(self._connection) is not None

    async def until_out(self) -> None:
        """Return as soon as the reader is signed out, for any reason.

        It waits without polling: with 500 screens a check each second took a sixth of the table's loop.
        """
        while self.reads():
            left_s = left_s_of(self._connection)
            # The guest of the demo has no session that could run out.
            await self._sessions.wait_for_end(left_s + _MOMENT_S if left_s else None)


ReadersOnly: Final = Depends(require_reader)
AuditorsOnly: Final = Depends(_require_auditor)
FiguresOnly: Final = Depends(_require_figures)
