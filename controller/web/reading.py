"""Who may look at a table: whoever is signed in at the screen, and the house's monitoring by a token.

Open to anybody are the page itself with its texts, signing in, and whether the server is there at all.
"""

import hmac
from collections.abc import Callable
from typing import Final

from fastapi import Depends
from starlette.requests import HTTPConnection

from controller.domain.errors import TableError
from controller.people.session import Session
from controller.web.parts import Parts
from controller.web.session import reader_of

BEARER: Final = "Bearer "


class NotSignedIn(TableError):
    """Nobody who may look is signed in here; answered 401."""

    def __init__(self) -> None:
        """One reason, and no word more."""
        super().__init__("SIGN_IN_NEEDED")


def require_reader(connection: HTTPConnection) -> Session:
    """Find who looks; raises `NotSignedIn`."""
    found = reader_of(connection)
    if found is None:
        raise NotSignedIn
    return found


def require_figures(connection: HTTPConnection, parts: Parts) -> None:
    """Pass the house's monitoring, which names the configured token, and whoever may look at the table.

    Raises `NotSignedIn`.
    """
    token, told = parts.settings.metrics_token, connection.headers.get("authorization", "")
    # Compared in constant time: how long it takes tells nothing of the token.
    if token and hmac.compare_digest(told.encode(), f"{BEARER}{token}".encode()):
        return
    require_reader(connection)


def still_reads(connection: HTTPConnection) -> Callable[[], bool]:
    """Give what says whether the one who looks is still signed in, for a socket that stays open."""
    return lambda: reader_of(connection) is not None


ReadersOnly: Final = Depends(require_reader)
FiguresOnly: Final = Depends(require_figures)
