"""The routes of the application: requests in, answers that the OpenAPI document describes out."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, HTTPException, Query, Request, WebSocket
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from controller.domain import TableError
from controller.feed.codec import from_wire
from controller.i18n import LANGUAGES
from controller.screens.evidence import PATH, CameraView, camera_views
from controller.screens.pit.rulings import Preview, RulingFacts, Wins, facts_of, preview_of
from controller.screens.shapes.view import TableView
from controller.screens.shapes.words import Words
from controller.screens.shoe_panel import ClosingCount, closing_view
from controller.web.bodies import REFUSALS, CommandAccepted, CommandBody, PitBody, PreviewBody
from controller.web.command import require_pit, take
from controller.web.packed_files import page_texts
from controller.web.parts import Parts, WebParts
from controller.web.reading import FiguresOnly, ReadersOnly, SocketReader
from controller.web.socket import serve

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
    wins = Wins(await parts.screens.won(), await floor.won())
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
    reader = SocketReader(socket, parts.sessions)
    if not reader.reads():
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
            reader,
            parts.metrics.sent,
            changes=changes,
        )
