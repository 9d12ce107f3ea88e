"""The web application of one table: page, state, socket, commands, catalogue, metrics."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable

from fastapi import FastAPI, HTTPException, WebSocket
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.middleware.base import BaseHTTPMiddleware

from controller.domain.errors import TableError
from controller.i18n import LANGUAGES
from controller.runtime.api import Hub, TablePort
from controller.runtime.tracked_cards import NO_CAMERAS, TrackedCards
from controller.screens.acts import CommandBody, PreviewBody, SignInBody
from controller.screens.card_pictures import PATH, CardPictures
from controller.screens.command_handler import CommandHandler, CommandOutcome, observation
from controller.screens.preview import preview_of
from controller.screens.screen_state import ScreenState
from controller.screens.texts import told
from controller.screens.view_broadcaster import ViewBroadcaster
from controller.screens.view_builder import ViewBuilder
from controller.web.guard import Guard
from controller.web.metrics import ExtraFigures, Metrics
from controller.web.settings import WebSettings
from controller.web.signin import PinBook, Sessions
from controller.web.socket import serve

NO_PAGE = "The page has not been built: `npm ci && npm run build` in controller/web/frontend makes it.\n"
FOREIGN = 4403
LOOK_AGAIN_S = 0.25


class Screens:
    """The parts that the routes share."""

    def __init__(
        self, table: TablePort, hub: Hub, settings: WebSettings, screen: ScreenState, spots: TrackedCards
    ) -> None:
        """Put the parts together; nothing runs yet."""
        self.hub = hub
        self.settings = settings
        self.guard = Guard(settings.hosts)
        self.screen = screen
        self.pictures = CardPictures(spots)
        self.pins = PinBook(settings.pins, time.monotonic)
        self.sessions = Sessions(time.monotonic)
        self.broadcaster = ViewBroadcaster(hub, self.screen, ViewBuilder(settings, self.pictures).draw)
        self.commands = CommandHandler(table, hub, self.screen, self.sessions, self.pictures)
        self.metrics = Metrics()


def create_app(
    table: TablePort,
    hub: Hub,
    catalogue: Callable[[str], dict[str, str]],
    settings: WebSettings | None = None,
    screen: ScreenState | None = None,
    *,
    figures: ExtraFigures = dict,
    spots: TrackedCards = NO_CAMERAS,
) -> FastAPI:
    """Make the application of one table. `catalogue` gives all texts of a language.

    `screen` is what screens share with keypads and pedals, where there are any. `figures` are what other parts
    of the program measure for the house's monitoring. `spots` is what the cameras see.
    """
    screens = Screens(table, hub, settings or WebSettings(), screen or ScreenState(time.monotonic), spots)
    app = FastAPI(title="stand17", lifespan=_lifespan(screens), docs_url=None, redoc_url=None)
    app.add_middleware(BaseHTTPMiddleware, dispatch=screens.guard)
    _add_reading(app, screens, catalogue)
    _add_metrics(app, screens, figures)
    _add_acting(app, screens)
    _add_socket(app, screens)
    _add_page(app, screens.settings)
    return app


def _lifespan(screens: Screens) -> Callable[[FastAPI], contextlib.AbstractAsyncContextManager[None]]:
    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        broadcaster = screens.broadcaster
        works = [
            asyncio.create_task(work) for work in (broadcaster.run(), broadcaster.look_again(LOOK_AGAIN_S))
        ]
        try:
            yield
        finally:
            for work in works:
                work.cancel()
            await asyncio.wait(works)

    return lifespan


def _add_reading(app: FastAPI, screens: Screens, catalogue: Callable[[str], dict[str, str]]) -> None:
    @app.get("/api/state")
    async def state() -> Response:
        return Response(screens.broadcaster.latest().body, media_type="application/json")

    @app.get(PATH + "{name}")
    async def picture(name: str) -> Response:
        data = screens.pictures.fetch(name)
        return Response(status_code=404) if data is None else Response(data, media_type="image/jpeg")

    @app.get("/api/catalogue/{language}")
    async def texts(language: str) -> dict[str, str]:
        if language not in LANGUAGES:
            raise HTTPException(404)
        return catalogue(language)


def _add_metrics(app: FastAPI, screens: Screens, figures: ExtraFigures) -> None:
    @app.get("/metrics")
    async def metrics() -> Response:
        return PlainTextResponse(screens.metrics.render(screens.hub.latest(), figures()))


def _add_acting(app: FastAPI, screens: Screens) -> None:
    @app.post("/api/commands")
    async def command(body: CommandBody) -> JSONResponse:
        answer = await screens.commands.take(body)
        screens.metrics.commands.labels(answer.code or "accepted").inc()
        await screens.broadcaster.refresh()
        return _reply(answer)

    @app.post("/api/preview")
    async def preview(body: PreviewBody) -> JSONResponse:
        try:
            shown = preview_of(screens.hub.latest(), observation(body.obs))
        except TableError as error:
            return _reply(CommandOutcome(None, error.code, tuple(error.params.items())))
        return JSONResponse(shown.model_dump(mode="json"))

    @app.post("/api/session")
    async def sign_in(body: SignInBody) -> JSONResponse:
        try:
            await asyncio.to_thread(screens.pins.check, body.actor, body.pin)
        except TableError as error:
            return _reply(CommandOutcome(None, error.code, tuple(error.params.items())))
        return JSONResponse({"session": screens.sessions.open(body.actor)})


def _reply(answer: CommandOutcome) -> JSONResponse:
    if answer.seq is not None:
        return JSONResponse({"seq": answer.seq})
    return JSONResponse(told("refused", answer.code, answer.params).model_dump(mode="json"), 409)


def _add_socket(app: FastAPI, screens: Screens) -> None:
    @app.websocket("/ws")
    async def live(socket: WebSocket) -> None:
        if not screens.guard.welcomes(socket.headers):
            await socket.close(FOREIGN)
            return
        await socket.accept()
        with screens.metrics.screens.track_inprogress():
            await serve(socket, screens.broadcaster, screens.settings.heartbeat_ms)


def _add_page(app: FastAPI, settings: WebSettings) -> None:
    page = settings.static / "index.html"

    @app.get("/")
    async def index() -> Response:
        return FileResponse(page) if page.exists() else PlainTextResponse(NO_PAGE, 503)

    if page.exists():
        app.mount("/static", StaticFiles(directory=settings.static), name="static")
