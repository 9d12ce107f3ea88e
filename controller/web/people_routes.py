"""Signing in and out: ids, PINs and staff cards in; sessions as cookies, or leave for one act, out."""

from typing import Final

from fastapi import APIRouter, Request, Response

from controller.domain.errors import TableError
from controller.people.session import Session
from controller.web.bodies import REFUSALS, PersonView, SessionView, SignInAnswer, SignInBody
from controller.web.parts import Parts, WebParts
from controller.web.session import Seat, clear_cookie, place_of, set_cookie, signed_in_at

people_router: Final = APIRouter()


@people_router.get("/api/session")
async def who(request: Request, parts: Parts) -> SessionView:
    """Say who is signed in at this screen."""
    settings = parts.access.settings
    return SessionView(
        screen=_view(signed_in_at(request, "screen")),
        pit=_view(signed_in_at(request, "pit")),
        guest=_view(parts.sessions.guest),
        card_prefix=settings.card_prefix,
        demo_pin=settings.demo_pin,
    )


@people_router.post("/api/session", responses=REFUSALS)
async def sign_in(body: SignInBody, request: Request, answer: Response, parts: Parts) -> SignInAnswer:
    """Sign a person in by id and PIN or by card: at the screen, beside its dealer, or for one act."""
    place = place_of(request)
    try:
        token, session = await _sign_in(body, parts, place)
    except TableError as refusal:
        denied = parts.access.denials.count(refusal.code, body.actor, place, "sign_in")
        if denied is not None:
            await parts.access.note(denied)
        raise
    if body.at in ("act", "second"):
        return SignInAnswer(person=_person(session), grant=token)
    seat: Seat = "pit" if body.at == "pit" else "screen"
    set_cookie(request, answer, seat, token)
    return SignInAnswer(person=_person(session), grant="")


@people_router.delete("/api/session", responses=REFUSALS)
async def sign_out(request: Request, answer: Response, parts: Parts, at: Seat = "screen") -> SessionView:
    """Sign the person at this seat out of every screen of the table."""
    session = signed_in_at(request, at)
    if session is not None:
        await parts.access.sign_in.out(session)
    clear_cookie(request, answer, at)
    return await who(request, parts)


async def _sign_in(body: SignInBody, parts: WebParts, place: str) -> tuple[str, Session]:
    desk = parts.access.sign_in
    match body.at:
        case "act":
            return await desk.for_one_act(body.actor, body.pin, place)
        case "second":
            return await desk.as_second(body.actor, body.pin, place)
        case "pit":
            return await desk.by_pin(body.actor, body.pin, place, beside=True)
        case "screen":
            if body.card:
                return await desk.by_card(body.card, place)
            return await desk.by_pin(body.actor, body.pin, place)


def _view(session: Session | None) -> PersonView | None:
    return None if session is None else _person(session)


def _person(session: Session) -> PersonView:
    return PersonView(id=session.person_id, name=session.name, role=session.role)
