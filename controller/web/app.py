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
from controller.web.board import Board
from controller.web.commands import Answer, CommandDesk, observation
from controller.web.desk import Desk
from controller.web.eye import PATH, Eye
from controller.web.guard import Guard
from controller.web.live import serve
from controller.web.metrics import Figures, Metrics
from controller.web.preview import preview_of
from controller.web.settings import WebSettings
from controller.web.signin import PinBook, Sessions
from controller.web.table_view import Drawer
from controller.web.wire import CommandBody, PreviewBody, SignInBody
from controller.web.words import told

NO_PAGE = "The page has not been built: `npm ci && npm run build` in controller/web/frontend makes it.\n"
FOREIGN = 4403
LOOK_AGAIN_S = 0.25


class Screens:
    """The parts that the routes share."""

    def __init__(
        self, table: TablePort, hub: Hub, settings: WebSettings, desk: Desk, spots: TrackedCards
    ) -> None:
        """Put the parts together; nothing runs yet."""
        self.hub = hub
        self.settings = settings
        self.guard = Guard(settings.hosts)
        self.desk = desk
        self.eye = Eye(spots)
        self.pins = PinBook(settings.pins, time.monotonic)
        self.sessions = Sessions(time.monotonic)
        self.board = Board(hub, self.desk, Drawer(settings, self.eye).draw)
        self.commands = CommandDesk(table, hub, self.desk, self.sessions, self.eye)
        self.metrics = Metrics()


def create_app(
    table: TablePort,
    hub: Hub,
    catalogue: Callable[[str], dict[str, str]],
    settings: WebSettings | None = None,
    desk: Desk | None = None,
    *,
    figures: Figures = dict,
    spots: TrackedCards = NO_CAMERAS,
) -> FastAPI:
    """Make the application of one table. `catalogue` gives all texts of a language.

    `desk` is what screens share with keypads and pedals, where there are any. `figures` are what other parts
    of the program measure for the house's monitoring. `spots` is what the cameras see.
    """
    screens = Screens(table, hub, settings or WebSettings(), desk or Desk(time.monotonic), spots)
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
        board = screens.board
        works = [asyncio.create_task(work) for work in (board.run(), board.look_again(LOOK_AGAIN_S))]
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
        return Response(screens.board.latest().body, media_type="application/json")

    @app.get(PATH + "{name}")
    async def picture(name: str) -> Response:
        data = screens.eye.fetch(name)
        return Response(status_code=404) if data is None else Response(data, media_type="image/jpeg")

    @app.get("/api/catalogue/{language}")
    async def texts(language: str) -> dict[str, str]:
        if language not in LANGUAGES:
            raise HTTPException(404)
        return catalogue(language)


def _add_metrics(app: FastAPI, screens: Screens, figures: Figures) -> None:
    @app.get("/metrics")
    async def metrics() -> Response:
        return PlainTextResponse(screens.metrics.render(screens.hub.latest(), figures()))


def _add_acting(app: FastAPI, screens: Screens) -> None:
    @app.post("/api/commands")
    async def command(body: CommandBody) -> JSONResponse:
        answer = await screens.commands.take(body)
        screens.metrics.commands.labels(answer.code or "accepted").inc()
        await screens.board.refresh()
        return _reply(answer)

    @app.post("/api/preview")
    async def preview(body: PreviewBody) -> JSONResponse:
        try:
            shown = preview_of(screens.hub.latest(), observation(body.obs))
        except TableError as error:
            return _reply(Answer(None, error.code, tuple(error.params.items())))
        return JSONResponse(shown.model_dump(mode="json"))

    @app.post("/api/session")
    async def sign_in(body: SignInBody) -> JSONResponse:
        try:
            await asyncio.to_thread(screens.pins.check, body.actor, body.pin)
        except TableError as error:
            return _reply(Answer(None, error.code, tuple(error.params.items())))
        return JSONResponse({"session": screens.sessions.open(body.actor)})


def _reply(answer: Answer) -> JSONResponse:
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
            await serve(socket, screens.board, screens.settings.heartbeat_ms)


def _add_page(app: FastAPI, settings: WebSettings) -> None:
    page = settings.static / "index.html"

    @app.get("/")
    async def index() -> Response:
        return FileResponse(page) if page.exists() else PlainTextResponse(NO_PAGE, 503)

    if page.exists():
        app.mount("/static", StaticFiles(directory=settings.static), name="static")
