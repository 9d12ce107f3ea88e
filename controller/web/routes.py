"""The routes of a table: its state, its socket, commands, signing in and out, the faults of a simulation."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, HTTPException, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from controller.acts.declaring import Act
from controller.domain import TableError
from controller.feed.codec import from_wire
from controller.i18n import LANGUAGES
from controller.people.sign_in import Session
from controller.policy.allowed import may_ever
from controller.screens.evidence import PATH, CameraView, camera_views
from controller.screens.panels import ClosingCount, closing_view
from controller.screens.rulings import Preview, RulingFacts, facts_of, preview_of
from controller.screens.view import TableView
from controller.screens.views import RenderedView, Views
from controller.screens.words import Words
from controller.web.bodies import (
    REFUSALS,
    Beat,
    CommandAccepted,
    CommandBody,
    FaultBody,
    Hello,
    PersonView,
    PitBody,
    PreviewBody,
    SessionView,
    SignInAnswer,
    SignInBody,
    SpeedBody,
)
from controller.web.packed_files import page_texts
from controller.web.parts import Parts, WebParts
from controller.web.session import (
    FiguresOnly,
    ReadersOnly,
    Seat,
    clear_cookie,
    guest_of,
    left_s_of,
    own_seat,
    place_of,
    reader_of,
    require_pit,
    set_cookie,
    signed_in_at,
    take,
    until_signed_out,
)

FOREIGN: Final = 4403
"""Close code of a socket that another site's page has opened."""

SOCKETS_MAX: Final = 600
"""Screens connected at once; a table has fewer than ten, and a house's monitoring some."""

NOT_SIGNED_IN: Final[dict[int | str, dict[str, Any]]] = {
    401: {"model": Words, "description": "Nobody is signed in who may look"},
}

_NO_FIGURES: Final[dict[int | str, dict[str, Any]]] = {
    401: {
        "description": "Neither the token nor a session",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Words"}}},
    },
}
"""Written out: beside plain text the framework describes a refusal as plain text, too."""

UNKNOWN: Final[dict[int | str, dict[str, Any]]] = {404: {"description": "There is none of this name"}}

router: Final = APIRouter()


@router.get("/api/health")
async def health() -> dict[str, str]:
    """Report that the server answers, to anyone; the figures describe the table."""
    return {"status": "up"}


@router.get("/api/state", response_model=TableView, dependencies=[ReadersOnly], responses=NOT_SIGNED_IN)
async def state(parts: Parts) -> Response:
    """Give the view that the screens show now."""
    # It is JSON text already: written once for all screens.
    return Response(parts.screens.broadcaster.latest().body, media_type="application/json")


@router.get(
    PATH + "{name}",
    response_class=Response,
    dependencies=[ReadersOnly],
    responses=NOT_SIGNED_IN | UNKNOWN,
)
async def picture(name: str, parts: Parts) -> Response:
    """Give a camera's picture that a view has named; it is kept for some seconds, or while a hold is open."""
    data = parts.screens.picture(name)
    return Response(status_code=404) if data is None else Response(data, media_type="image/jpeg")


@router.get("/api/cameras", dependencies=[ReadersOnly], responses=NOT_SIGNED_IN)
async def cameras(parts: Parts) -> tuple[CameraView, ...]:
    """Return each camera's present view of the layout: its picture, outlined cards, focus and light."""
    return await camera_views(parts.screens.pictures, parts.screens.hub.latest())


@router.get("/api/catalogue/{language}", response_model=dict[str, str], responses=UNKNOWN)
async def texts(language: str, request: Request, *, at_the_table: bool = False) -> Response:
    """Give the texts of the pages in a language; with `at_the_table` only those of the dealer's page."""
    if language not in LANGUAGES:
        raise HTTPException(404)
    return page_texts(language, request.headers, at_the_table=at_the_table)


@router.get("/metrics", response_class=PlainTextResponse, dependencies=[FiguresOnly], responses=_NO_FIGURES)
async def metrics(parts: Parts) -> Response:
    """Give the figures for the house's monitoring."""
    return PlainTextResponse(parts.metrics.render(parts.screens.hub.latest(), parts.figures()))


@router.post("/api/commands", responses=REFUSALS)
async def command(body: CommandBody, request: Request, parts: Parts) -> CommandAccepted:
    """Execute a person's command; the answer comes when its entries are durable and visible."""
    answer = "accepted"
    try:
        return CommandAccepted(seq=await take(body, request, parts))
    except TableError as refusal:
        answer = refusal.code
        raise
    finally:
        parts.metrics.commands.labels(answer).inc()
        parts.screens.broadcaster.wake()


@router.post("/api/preview", dependencies=[ReadersOnly], responses=REFUSALS | NOT_SIGNED_IN)
async def preview(body: PreviewBody, request: Request, parts: Parts) -> Preview:
    """Return the effect of a ruling; nothing is stored."""
    obs = from_wire(body.obs)
    number = getattr(obs, "round", None)
    floor: WebParts = request.app.state.parts
    wins = int((await parts.screens.shift.read()).row["win"]), await floor.won()
    first = tuple(from_wire(one) for one in body.first)
    return preview_of(parts.screens.with_round(number), obs, wins, first)


@router.get("/api/facts", dependencies=[ReadersOnly], responses=NOT_SIGNED_IN)
async def ruling_facts(
    parts: Parts, number: Annotated[int | None, Query(alias="round", ge=1)] = None
) -> RulingFacts:
    """Return people's entries for this round, the last one and the one of this number."""
    return facts_of(parts.screens.with_round(number))


@router.post("/api/closing", responses=REFUSALS)
async def closing(body: PitBody, request: Request, parts: Parts) -> ClosingCount:
    """Return the cards of the shoe's closing count, to the pit alone."""
    require_pit(body, request, parts)
    return closing_view(parts.screens.hub.latest())


@router.websocket("/ws")
async def live(socket: WebSocket, parts: Parts, *, changes: bool = False) -> None:
    """Send a screen its views until it disconnects; with `changes` only their changes."""
    if not parts.guard.welcomes(socket):
        await socket.close(FOREIGN)
        return
    if reader_of(socket) is None:
        ruling_facts = {"code": "refused.SIGN_IN_NEEDED", "params": {}}
        await socket.send_denial_response(JSONResponse(ruling_facts, 401))
        return
    if parts.sockets >= SOCKETS_MAX:
        ruling_facts = {"code": "refused.TOO_MANY_CONNECTIONS", "params": {}}
        await socket.send_denial_response(JSONResponse(ruling_facts, 503))
        return
    with parts.one_socket(), parts.metrics.screens.track_inprogress():
        await socket.accept()
        await serve(
            socket,
            parts.screens.broadcaster,
            parts.settings.heartbeat_ms,
            parts.metrics.sent,
            changes=changes,
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
            return await desk.by_pin(body.actor, body.pin, place, may=lambda one: one.may_rule)
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


demo_router: Final = APIRouter()


@demo_router.post("/api/faults", responses=REFUSALS)
async def call_fault(body: FaultBody, parts: Parts) -> CommandAccepted:
    """Let a fault happen as soon as the round leaves room for it."""
    parts.screens.call_fault(body.fault, left=body.left)
    return CommandAccepted(seq=parts.screens.hub.latest().seq)


@demo_router.post("/api/speed", responses=REFUSALS)
async def set_speed(body: SpeedBody, parts: Parts) -> CommandAccepted:
    """Let the simulated people play faster or slower, or pause."""
    parts.screens.set_speed(body.speed)
    return CommandAccepted(seq=parts.screens.hub.latest().seq)


_BEHIND_S: Final = 5.0
"""A screen that takes longer than this to take a message is closed and starts afresh."""

_BEAT_S_MIN: Final = 0.02
"""Time between two looks whether a beat is due, at least."""

SIGNED_OUT: Final = 4401
"""Close code of a socket whose person has signed out, or was signed out."""

AGAIN_S: Final = 0.1
"""Time between two whole tables for one screen; meanwhile nothing more is taken from it."""


async def serve(
    socket: WebSocket,
    broadcaster: Views,
    heartbeat_ms: int,
    gone_out: Callable[[int], None],
    *,
    changes: bool,
) -> None:
    """Serve one accepted socket until it disconnects, falls behind, or its reader is signed out.

    `gone_out` receives the last entry's number of each sent view. With `changes` the screen gets the changes
    instead of the whole view.
    """
    line = _SocketLine(socket)
    await line.send(Hello(heartbeat_ms=heartbeat_ms).model_dump_json())
    await _first_of(
        _listen(socket, broadcaster, line),
        _supply(broadcaster, line, gone_out, changes=changes),
        _beat(broadcaster, line, heartbeat_ms / 1000),
        until_signed_out(socket),
    )
    if reader_of(socket) is None:
        with suppress(RuntimeError):
            await socket.close(SIGNED_OUT)


class _SocketLine:
    """The socket of one screen: one message at a time."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._turn = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._at_s = self._loop.time()

    async def send(self, text: str) -> None:
        async with self._turn:
            self._at_s = self._loop.time()
            await self._socket.send_text(text)

    async def send_view(self, kind: Literal["snapshot", "state"], rendered: RenderedView) -> None:
        """Send a `ViewMessage`. Its view is JSON text already: it is written once for all screens."""
        await self.send(f'{{"type":"{kind}","seq":{rendered.seq},"view":{rendered.body}}}')

    async def send_changes(self, rendered: RenderedView, since: int) -> None:
        """Send a `ChangesMessage` to a screen that has the view of version `since`, or a newer one."""
        await self.send(f'{{"type":"changes","seq":{rendered.seq},{rendered.changes(since)}}}')

    @property
    def is_busy(self) -> bool:
        """Whether a message is being sent."""
        return self._turn.locked()

    def since_s(self) -> float:
        """The seconds since the last message began."""
        return self._loop.time() - self._at_s


async def _listen(socket: WebSocket, broadcaster: Views, line: _SocketLine) -> None:
    """Answer each message of a screen with the whole table, at most every `AGAIN_S`."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        await line.send_view("snapshot", broadcaster.latest())
        await asyncio.sleep(AGAIN_S)


async def _supply(
    broadcaster: Views, line: _SocketLine, gone_out: Callable[[int], None], *, changes: bool
) -> None:
    sent = broadcaster.latest()
    await line.send_view("snapshot", sent)
    while True:
        newer = await broadcaster.newer(sent.version)
        await (line.send_changes(newer, sent.version) if changes else line.send_view("state", newer))
        sent = newer
        gone_out(sent.seq)


async def _beat(broadcaster: Views, line: _SocketLine, period_s: float) -> None:
    """Send a beat when nothing was sent for a period; ends when the screen falls behind.

    Beside the messages: a timer for each of them took a third of the time of sending it.
    """
    while True:
        await asyncio.sleep(max(period_s - line.since_s(), _BEAT_S_MIN))
        if line.is_busy:
            if line.since_s() > _BEHIND_S:
                return
        elif line.since_s() >= period_s:
            async with asyncio.timeout(_BEHIND_S):
                await line.send(Beat(seq=broadcaster.latest().seq).model_dump_json())


async def _first_of(*works: Coroutine[Any, Any, None]) -> None:
    """Run until one of them ends; a screen that has gone or is too slow is an end like any other."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for end in ended:
        gone = (WebSocketDisconnect, TimeoutError, RuntimeError, asyncio.CancelledError)
        if isinstance(end, BaseException) and not isinstance(end, gone):
            raise end
