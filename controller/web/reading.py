"""Who may look at a table: whoever is signed in at the screen, and the house's monitoring by a token.

Open to anybody are the page itself with its texts, signing in, and whether the server is there at all.
"""

import hmac
from typing import Final

from fastapi import Depends
from starlette.requests import HTTPConnection

from controller.acts.permits import Act
from controller.domain import TableError
from controller.people.sign_in import Session, Sessions
from controller.policy.allowed.permissions import may_ever
from controller.web.parts import Parts
from controller.web.session import left_s_of, reader_of, readers_of

BEARER: Final = "Bearer "
MOMENT_S: Final = 0.001
"""A session is over after its last moment, not in it."""


class NotSignedIn(TableError):
    """Nobody who may look is signed in here; answered 401."""

    def __init__(self) -> None:
        """One reason, and no word more."""
        super().__init__("SIGN_IN_NEEDED")


async def require_reader(connection: HTTPConnection) -> Session:
    """Find who looks; raises `NotSignedIn`."""
    found = reader_of(connection)
    if found is None:
        raise NotSignedIn
    return found


async def require_auditor(connection: HTTPConnection) -> Session:
    """Find who may read the audit trail; raises `NotSignedIn`, NOT_ALLOWED where nobody here may."""
    looking = await require_reader(connection)
    for found in readers_of(connection):
        if may_ever(found.role, Act.AUDIT):
            return found
    raise TableError("NOT_ALLOWED", role=looking.role)


async def require_figures(connection: HTTPConnection, parts: Parts) -> None:
    """Pass the house's monitoring, which names the configured token, and whoever may look at the table.

    Raises `NotSignedIn`.
    """
    token, bearer = parts.settings.metrics_token, connection.headers.get("authorization", "")
    # Compared in constant time: how long it takes tells nothing of the token.
    if token and hmac.compare_digest(bearer.encode(), f"{BEARER}{token}".encode()):
        return
    await require_reader(connection)


class SocketReader:
    """Who looks through a socket that stays open."""

    def __init__(self, connection: HTTPConnection, sessions: Sessions) -> None:
        """The person is known by the cookies that the socket was opened with."""
        self._connection = connection
        self._sessions = sessions

    def reads(self) -> bool:
        """Whether he is still signed in."""
        return reader_of(self._connection) is not None

    async def until_out(self) -> None:
        """Return as soon as he is signed out, by whatever.

        Nobody looks in between: with 500 screens a look each second took a sixth of the table's loop.
        """
        while self.reads():
            left_s = left_s_of(self._connection)
            # The guest of the demo has no session that could run out.
            await self._sessions.wait_for_end(left_s + MOMENT_S if left_s else None)


ReadersOnly: Final = Depends(require_reader)
AuditorsOnly: Final = Depends(require_auditor)
FiguresOnly: Final = Depends(require_figures)
