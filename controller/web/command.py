"""A command of a screen: its person by the session, not by the page, and its second person."""

from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from controller.domain import TableError
from controller.people.sign_in import GOOD_FOR_S, Session
from controller.runtime.api import Role
from controller.screens.shapes.acts import EditingAct
from controller.screens.wire import ScreenCommand, name_of, require_second
from controller.web.bodies import CommandBody, PitBody
from controller.web.parts import WebParts
from controller.web.session import guest_of, own_seat, pit_session_of, place_of, signed_in_at


async def take(body: CommandBody, request: Request, parts: WebParts) -> int:
    """Execute a command; return the last entry that it led to. Raises `TableError`; denials are recorded."""
    asking = ""
    try:
        person = _person(body, request, parts)
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
        return pit_session_of(request)
    found = parts.sessions.granted(body.grant, "act")
    if found is None:
        raise TableError("SIGN_IN_NEEDED")
    return found


def _person(body: CommandBody, request: Request, parts: WebParts) -> Session:
    """Return the acting person. Raises SIGN_IN_NEEDED, and ACTOR_DIFFERS when the page names another one."""
    if body.role == "pit":
        granted = None if body.grant is None else parts.sessions.granted(body.grant, "act")
        found = pit_session_of(request) if body.grant is None else granted
    else:
        found = signed_in_at(request, own_seat(request)) or guest_of(request)
    if found is None:
        raise TableError("SIGN_IN_NEEDED")
    if found is not parts.sessions.guest and body.actor not in (None, found.person_id):
        raise TableError("ACTOR_DIFFERS", id=found.person_id)
    if found.line_role not in (None, body.role):
        raise TableError("ACTOR_DIFFERS", id=found.person_id)
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
