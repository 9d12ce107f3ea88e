"""Whose request it is: the session behind the cookie of a screen. The one place that reads that cookie.

A tablet can hold two: that of whoever works at it, and beside it that of a pit user who stays for a while.
"""

from typing import Final, Literal

from starlette.requests import HTTPConnection
from starlette.responses import Response

from controller.domain.errors import TableError
from controller.people.session import Session, Sessions

__all__ = [
    "Seat",
    "Session",
    "clear_cookie",
    "left_s_of",
    "pit_session_of",
    "place_of",
    "reader_of",
    "readers_of",
    "session_of",
    "set_cookie",
    "signed_in_at",
]

Seat = Literal["screen", "pit"]
"""Which of a tablet's two sessions: of the screen itself, or of the pit beside its dealer."""

COOKIES: Final[dict[Seat, str]] = {"screen": "stand17", "pit": "stand17_pit"}
"""Names of the cookies that hold the tokens."""


def session_of(connection: HTTPConnection) -> Session:
    """Find who is signed in at the screen that a request or socket comes from.

    Raises `TableError` SIGN_IN_NEEDED where it is nobody, or nobody any more. In the demo,
    where nobody signs in, it is the demo's own dealer.
    """
    found = signed_in_at(connection, "screen") or signed_in_at(connection, "pit")
    found = found or _sessions(connection).guest
    if found is None:
        raise TableError("SIGN_IN_NEEDED")
    return found


def reader_of(connection: HTTPConnection) -> Session | None:
    """Find who looks at the table from this screen.

    A screen that only looks on does not keep its person signed in, but for surveillance, whose work that is.
    """
    sessions = _sessions(connection)
    for seat in COOKIES.values():
        token = connection.cookies.get(seat)
        found = sessions.find(token, used=False)
        if found is not None:
            return sessions.find(token) if found.role == "surveillance" else found
    return sessions.guest


def readers_of(connection: HTTPConnection) -> tuple[Session, ...]:
    """Everybody who is signed in at this screen, the pit first; reading keeps nobody signed in."""
    seats: tuple[Seat, ...] = ("pit", "screen")
    tokens = [connection.cookies.get(COOKIES[seat]) for seat in seats]
    found = [_sessions(connection).find(token, used=False) for token in tokens]
    return tuple(session for session in found if session is not None)


def left_s_of(connection: HTTPConnection) -> float:
    """Tell how long, in seconds, somebody stays signed in at this screen if nobody does anything there."""
    sessions = _sessions(connection)
    return max(sessions.left_s(connection.cookies.get(seat)) for seat in COOKIES.values())


def pit_session_of(connection: HTTPConnection) -> Session:
    """Find who rules at this screen: beside the dealer, else as its own person; raises SIGN_IN_NEEDED."""
    for seat in ("pit", "screen"):
        found = signed_in_at(connection, seat)
        if found is not None and found.may_rule:
            return found
    raise TableError("SIGN_IN_NEEDED")


def signed_in_at(connection: HTTPConnection, seat: Seat) -> Session | None:
    """Find who is signed in at one of the screen's two seats."""
    return _sessions(connection).find(connection.cookies.get(COOKIES[seat]))


def set_cookie(connection: HTTPConnection, answer: Response, seat: Seat, token: str) -> None:
    """Have the screen name this session from now on. No script can read it, no other site's page send it."""
    answer.set_cookie(
        COOKIES[seat], token, path="/", httponly=True, samesite="strict", secure=_is_secure(connection)
    )


def clear_cookie(connection: HTTPConnection, answer: Response, seat: Seat) -> None:
    """Have the screen forget a session."""
    answer.delete_cookie(
        COOKIES[seat], path="/", httponly=True, samesite="strict", secure=_is_secure(connection)
    )


def place_of(connection: HTTPConnection) -> str:
    """Give the address that a screen speaks from."""
    return "" if connection.client is None else connection.client.host


def _is_secure(connection: HTTPConnection) -> bool:
    return connection.url.scheme in ("https", "wss")


def _sessions(connection: HTTPConnection) -> Sessions:
    sessions: Sessions = connection.app.state.parts.sessions
    return sessions
