"""The session of a request, by the cookie of a screen. Only this module reads that cookie.

A tablet can have two sessions: that of the person working at it, and that of a pit user beside it. The pit's
page has one of its own: its addresses are below `PIT_PAGE`, and no other session counts there.
"""

from typing import Final, Literal

from starlette.requests import HTTPConnection
from starlette.responses import Response

from controller.domain import TableError
from controller.people.sign_in import Session, Sessions

__all__ = [
    "PIT_PAGE",
    "Seat",
    "Session",
    "clear_cookie",
    "guest_of",
    "left_s_of",
    "own_seat",
    "pit_session_of",
    "place_of",
    "port_mark",
    "reader_of",
    "readers_of",
    "set_cookie",
    "signed_in_at",
]

Seat = Literal["screen", "pit", "page"]
"""Which session: of the screen itself, of the pit beside its dealer, or of the pit's own page."""

COOKIES: Final[dict[Seat, str]] = {"screen": "stand17", "pit": "stand17_pit", "page": "stand17_page"}
"""Names of the cookies that hold the tokens, without what TLS puts before them, and the port behind them."""

PIT_PAGE: Final = "/pit"
"""The pit's page; its routes are those of the screens, below this address."""


def own_seat(connection: HTTPConnection) -> Literal["screen", "page"]:
    """Return the seat of the request's own page."""
    return "page" if connection.url.path.startswith(f"{PIT_PAGE}/") else "screen"


def _seats(connection: HTTPConnection) -> tuple[Seat, ...]:
    """Return the seats that count for a request, its own first."""
    return ("page",) if own_seat(connection) == "page" else ("screen", "pit")


def guest_of(connection: HTTPConnection) -> Session | None:
    """Return the person who acts without a sign-in: the demo's dealer, never on the pit's page."""
    return _sessions(connection).guest if own_seat(connection) == "screen" else None


def reader_of(connection: HTTPConnection) -> Session | None:
    """Return the reader of the table at this screen.

    Watching does not extend a session, except for surveillance, whose work it is.
    """
    sessions = _sessions(connection)
    for seat in _seats(connection):
        token = _token(connection, seat)
        found = sessions.find(token, used=False)
        if found is not None:
            return sessions.find(token) if found.role == "surveillance" else found
    return guest_of(connection)


def readers_of(connection: HTTPConnection) -> tuple[Session, ...]:
    """Return all people signed in at this screen, the pit first; reading extends no session."""
    tokens = [_token(connection, seat) for seat in reversed(_seats(connection))]
    found = [_sessions(connection).find(token, used=False) for token in tokens]
    return tuple(session for session in found if session is not None)


def left_s_of(connection: HTTPConnection) -> float:
    """Return the remaining seconds of the sessions at this screen without activity."""
    sessions = _sessions(connection)
    return max(sessions.left_s(_token(connection, seat)) for seat in _seats(connection))


def pit_session_of(connection: HTTPConnection) -> Session:
    """Find who rules at this screen: beside the dealer, else as its own person; raises SIGN_IN_NEEDED."""
    for seat in reversed(_seats(connection)):
        found = signed_in_at(connection, seat)
        if found is not None and found.may_rule:
            return found
    raise TableError("SIGN_IN_NEEDED")


def signed_in_at(connection: HTTPConnection, seat: Seat) -> Session | None:
    """Find who is signed in at one of the screen's two seats."""
    return _sessions(connection).find(_token(connection, seat))


def set_cookie(connection: HTTPConnection, answer: Response, seat: Seat, token: str) -> None:
    """Have the screen name this session from now on. No script can read it, no other site's page send it."""
    answer.set_cookie(
        _name(connection, seat),
        token,
        path=_path(seat),
        httponly=True,
        samesite="strict",
        secure=_is_secure(connection),
    )


def clear_cookie(connection: HTTPConnection, answer: Response, seat: Seat) -> None:
    """Have the screen forget a session."""
    answer.delete_cookie(
        _name(connection, seat),
        path=_path(seat),
        httponly=True,
        samesite="strict",
        secure=_is_secure(connection),
    )


def place_of(connection: HTTPConnection) -> str:
    """Give the address that a screen speaks from."""
    return "" if connection.client is None else connection.client.host


def _token(connection: HTTPConnection, seat: Seat) -> str | None:
    return connection.cookies.get(_name(connection, seat))


def _name(connection: HTTPConnection, seat: Seat) -> str:
    """The cookie's name. Under TLS a browser takes it from this host alone, and over TLS alone.

    RFC 6265bis 4.1.3: `__Host-` demands the path "/", which that of the pit's page has not. 8.5: cookies of
    one host are the same on every port, and two programs of one machine would sign each other's people out.
    """
    name = f"{COOKIES[seat]}{port_mark(connection)}"
    if not _is_secure(connection):
        return name
    return f"{'__Secure-' if seat == 'page' else '__Host-'}{name}"


def port_mark(connection: HTTPConnection) -> str:
    """Return the end of a cookie's name: the port of this server."""
    server = connection.scope.get("server")
    return "" if server is None or server[1] is None else f"_{server[1]}"


def _path(seat: Seat) -> str:
    """Return the path of the cookie: that of the pit's page is sent to no other page."""
    return PIT_PAGE if seat == "page" else "/"


def _is_secure(connection: HTTPConnection) -> bool:
    return connection.url.scheme in ("https", "wss")


def _sessions(connection: HTTPConnection) -> Sessions:
    sessions: Sessions = connection.app.state.parts.sessions
    return sessions
