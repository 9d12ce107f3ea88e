"""Signing in and out: ids, PINs and staff cards in; sessions as cookies, or leave for one act, out."""

from typing import Final, Literal

from fastapi import APIRouter, Request, Response

from controller.acts.declaring import Act
from controller.domain import TableError
from controller.people.sign_in import Session, may_rule
from controller.policy.allowed import may_ever
from controller.web.bodies import REFUSALS, PersonView, SessionView, SignInAnswer, SignInBody
from controller.web.parts import Parts, WebParts
from controller.web.session import (
    Seat,
    clear_cookie,
    guest_of,
    left_s_of,
    own_seat,
    place_of,
    set_cookie,
    signed_in_at,
)

people_router: Final = APIRouter()


@people_router.get("/api/session")
async def who(request: Request, parts: Parts) -> SessionView:
    """Say who is signed in at this screen."""
    settings = parts.access.settings
    return SessionView(
        screen=_view(signed_in_at(request, own_seat(request))),
        pit=_view(signed_in_at(request, "pit")) if own_seat(request) == "screen" else None,
        guest=_view(guest_of(request)),
        left_s=int(left_s_of(request)),
        table=parts.screens.hub.latest().table,
        house=parts.screens.hub.latest().rules.name,
        card_prefix=settings.card_prefix,
        demo_pin=settings.demo_pin,
    )


@people_router.post("/api/session", responses=REFUSALS)
async def sign_in(body: SignInBody, request: Request, answer: Response, parts: Parts) -> SignInAnswer:
    """Sign a person in by id and PIN or by card: at the screen, beside its dealer, or for one act."""
    place = place_of(request)
    try:
        token, session = await _sign_in(body, parts, place, page=own_seat(request) == "page")
    except TableError as refusal:
        denied = parts.access.denials.count(refusal.code, body.actor, place, "sign_in")
        if denied is not None:
            await parts.access.note(denied)
        raise
    once = body.at in ("act", "second")
    if not once:
        set_cookie(request, answer, "pit" if body.at == "pit" else own_seat(request), token)
    old = not body.card and parts.access.sign_in.is_pin_old(session.person_id)
    return SignInAnswer(person=_person(session), grant=token if once else "", pin_old=old)


@people_router.delete("/api/session", responses=REFUSALS)
async def sign_out(
    request: Request, answer: Response, parts: Parts, at: Literal["screen", "pit"] = "screen"
) -> SessionView:
    """Sign the person at this seat out of every screen of the table."""
    seat: Seat = "pit" if at == "pit" else own_seat(request)
    session = signed_in_at(request, seat)
    if session is not None:
        await parts.access.sign_in.out(session)
    clear_cookie(request, answer, seat)
    return await who(request, parts)


async def _sign_in(body: SignInBody, parts: WebParts, place: str, *, page: bool) -> tuple[str, Session]:
    desk = parts.access.sign_in
    match body.at:
        case "act":
            return await desk.for_one_act(body.actor, body.pin, place)
        case "second":
            return await desk.as_second(body.actor, body.pin, place)
        case "pit":
            return await desk.by_pin(body.actor, body.pin, place, may=may_rule)
        case "screen":
            if page:
                return await desk.by_pin(body.actor, body.pin, place, may=_may_watch)
            if body.card:
                return await desk.by_card(body.card, place)
            return await desk.by_pin(body.actor, body.pin, place)


def _may_watch(session: Session) -> bool:
    """Whether a person may sign in at the pit's page: those who may read the audit trail."""
    return may_ever(session.role, Act.AUDIT)


def _view(session: Session | None) -> PersonView | None:
    return None if session is None else _person(session)


def _person(session: Session) -> PersonView:
    return PersonView(id=session.person_id, name=session.name, role=session.role)
