"""The person behind a request: the session by a screen's cookie, readers, and the commands of people.

Only this module reads the cookies. A tablet can have two sessions: that of the person working at it, and that
of a pit user beside it. The pit's page has one of its own: its addresses are below `PIT_PAGE`, and no other
session counts there. The page with its texts, the sign-in, and the health check are open to all.
"""

import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal

from fastapi import Depends
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from controller.acts.declaring import Act
from controller.domain import TableError
from controller.people.sign_in import GOOD_FOR_S, Session, Sessions
from controller.policy.allowed import may_ever
from controller.runtime.api import Role
from controller.screens.acts import EditingAct
from controller.screens.commands import ScreenCommand, name_of, require_second
from controller.web.bodies import CommandBody, PitBody
from controller.web.guard import is_secure
from controller.web.parts import Parts, WebParts

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


def left_s_of(connection: HTTPConnection) -> float:
    """Return the remaining seconds of the sessions at this screen without activity."""
    sessions = _sessions(connection)
    return max(sessions.left_s(_token(connection, seat)) for seat in _seats(connection))


def _pit_session_of(connection: HTTPConnection) -> Session:
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
        secure=is_secure(connection),
    )


def clear_cookie(connection: HTTPConnection, answer: Response, seat: Seat) -> None:
    """Have the screen forget a session."""
    answer.delete_cookie(
        _name(connection, seat),
        path=_path(seat),
        httponly=True,
        samesite="strict",
        secure=is_secure(connection),
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
    if not is_secure(connection):
        return name
    return f"{'__Secure-' if seat == 'page' else '__Host-'}{name}"


def port_mark(connection: HTTPConnection) -> str:
    """Return the end of a cookie's name: the port of this server."""
    server = connection.scope.get("server")
    return "" if server is None or server[1] is None else f"_{server[1]}"


def _path(seat: Seat) -> str:
    """Return the path of the cookie: that of the pit's page is sent to no other page."""
    return PIT_PAGE if seat == "page" else "/"


def _sessions(connection: HTTPConnection) -> Sessions:
    sessions: Sessions = connection.app.state.parts.sessions
    return sessions


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
    """Return a person who may read the audit trail; raises `NotSignedIn`, NOT_ALLOWED without one.

    The pit comes first of the people signed in at this screen; reading extends no session.
    """
    looking = await require_reader(connection)
    for seat in reversed(_seats(connection)):
        found = _sessions(connection).find(_token(connection, seat), used=False)
        if found is not None and may_ever(found.role, Act.AUDIT):
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


async def until_signed_out(connection: HTTPConnection) -> None:
    """Return as soon as the reader of an open socket is signed out, for any reason.

    The person is known by the cookies that the socket was opened with. It waits without polling: with 500
    screens a check each second took a sixth of the table's loop.
    """
    while reader_of(connection) is not None:
        left_s = left_s_of(connection)
        # The guest of the demo has no session that could run out.
        await _sessions(connection).wait_for_end(left_s + _MOMENT_S if left_s else None)


ReadersOnly: Final = Depends(require_reader)
AuditorsOnly: Final = Depends(_require_auditor)
FiguresOnly: Final = Depends(_require_figures)


async def take(body: CommandBody, request: Request, parts: WebParts) -> int:
    """Execute a command; return the last entry that it led to. Raises `TableError`; denials are recorded."""
    asking = ""
    try:
        if body.role == "pit":
            granted = None if body.grant is None else parts.sessions.granted(body.grant, "act")
            found = _pit_session_of(request) if body.grant is None else granted
        else:
            found = signed_in_at(request, own_seat(request)) or guest_of(request)
        if found is None:
            raise TableError("SIGN_IN_NEEDED")
        if found is not parts.sessions.guest and body.actor not in (None, found.person_id):
            raise TableError("ACTOR_DIFFERS", id=found.person_id)
        if found.line_role not in (None, body.role):
            raise TableError("ACTOR_DIFFERS", id=found.person_id)
        person = found
        asking = person.person_id
        asked = _asked(body, parts, person)
        with _claimed(body, parts):
            return await parts.screens.commands.take(asked)
    except TableError as refusal:
        denied = parts.access.denials.count(refusal.code, asking, place_of(request), name_of(body.act))
        if denied is not None:
            await parts.access.note(denied)
        raise


def require_pit(body: PitBody, request: Request, parts: WebParts) -> Session:
    """Find the pit user who asks; raises SIGN_IN_NEEDED."""
    if body.grant is None:
        return _pit_session_of(request)
    found = parts.sessions.granted(body.grant, "act")
    if found is None:
        raise TableError("SIGN_IN_NEEDED")
    return found


def _asked(body: CommandBody, parts: WebParts, person: Session) -> ScreenCommand:
    role: Role = person.line_role or _other_role(person)
    second = _second(body, parts, person)
    checked = person is not parts.sessions.guest
    return ScreenCommand(
        body.command_id, body.expected_seq, person.person_id, role, body.act, second, checked
    )


def _other_role(person: Session) -> Role:
    """Return the role of a person who is neither dealer nor pit."""
    match person.role:
        case "surveillance" | "tester" | "administrator" as role:
            return role
        case "dealer" | "supervisor" | "pit_manager":
            raise TableError("SIGN_IN_NEEDED")


def _second(body: CommandBody, parts: WebParts, person: Session) -> str:
    """Return the second person, who signed within the last minute in a permitted role; "" without one."""
    if body.second is None:
        return ""
    second = parts.sessions.granted(body.second, "second")
    if second is None:
        raise TableError("SECOND_OVER", seconds=int(GOOD_FOR_S["second"]))
    require_second(person.person_id, second.person_id, second.line_role, body.act)
    return second.person_id


@contextmanager
def _claimed(body: CommandBody, parts: WebParts) -> Iterator[None]:
    """Use up the grants of an act, unless it is refused; opening a dialog is no act."""
    tokens = [token for token in (body.grant, body.second) if token is not None]
    if isinstance(body.act, EditingAct):
        tokens = []
    for token in tokens:
        if not parts.sessions.claim(token, body.command_id):
            raise TableError("SIGN_IN_NEEDED")
    try:
        yield
    except TableError:
        for token in tokens:
            parts.sessions.release(token, body.command_id)
        raise
