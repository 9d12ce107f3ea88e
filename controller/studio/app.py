"""The tester's local page: files that the caller may read in, an application for this machine alone out.

Its access is a printed address that works once, then a cookie. Of the files only a case and its expectation
are written.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Annotated, Final, cast

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.middleware.base import BaseHTTPMiddleware

from controller.domain import ConfigError, TableError
from controller.i18n import catalogue, told_in
from controller.ports import Clock
from controller.replay.difference import OtherPlay
from controller.replay.kept_cases import accept_baseline, keep_case, new_baseline
from controller.replay.played import PlayedRound, played_rounds
from controller.replay.table_file import kind_of
from controller.rules import HOUSES
from controller.runtime.contradictions import CameraSight
from controller.runtime.redaction import is_secret
from controller.screens.words import Money, Word, described, money
from controller.studio.bodies import (
    AcceptBody,
    AcceptedView,
    BaselineBody,
    BaselineChangeView,
    BaselineView,
    KeepBody,
    KeptView,
    LineView,
    OpeningView,
    SeenView,
    StepView,
    StudioFileRow,
    StudioFileView,
)
from controller.studio.findings import words_of_line
from controller.studio.studio_file import FileOpening, RecordedSteps, StudioFile, step_view
from controller.web.guard import BodyLimit, Guard
from controller.web.packed_files import PackedFiles
from controller.web.parts import STATIC
from controller.web.routes import texts
from controller.web.session import port_mark
from vision.heat_map import HeatMapNetwork, heat_picture
from vision.inference import default_models_dir

_COOKIE: Final = "stand17-studio"
"""With the port behind it: a browser gives one machine's cookies to all of its ports."""


class StudioGate:
    """Lets in the one browser that was given the token; the address with it works once."""

    def __init__(self, token: str, session: str) -> None:
        """`token` is in the printed address, `session` in the cookie that replaces it; both are chance."""
        self._token: str | None = token
        self._session = session

    def enter(self, token: str) -> str | None:
        """Return the session for the unused token; None for any other."""
        if self._token is None or not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        self._token = None
        return self._session

    def require(self, request: Request) -> None:
        """Refuse a request without the session of the printed address."""
        sent = request.cookies.get(_COOKIE + port_mark(request), "")
        if not hmac.compare_digest(sent.encode(), self._session.encode()):
            raise HTTPException(401)


_MakePage = Callable[[StudioGate], FastAPI]
"""Makes a local page's application behind its door."""


def local_app(title: str, page: str, gate: StudioGate, router: APIRouter) -> FastAPI:
    """Return an application for this machine's browser alone; `page` is the built page's file name.

    A route's `TableError` is answered as words, with status 409.
    """
    app = FastAPI(title=title, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(BaseHTTPMiddleware, dispatch=Guard(("localhost",)))
    app.add_middleware(BodyLimit)
    app.add_exception_handler(TableError, _refused)
    app.include_router(router, dependencies=[Depends(gate.require)])
    app.add_api_route("/", _page(page, gate), response_model=None)
    if STATIC.exists():
        app.mount("/static", PackedFiles(directory=STATIC), name="static")
    return app


def _page(page: str, gate: StudioGate) -> Callable[..., Awaitable[Response]]:
    async def show(request: Request, token: str = "") -> Response:
        """The page for who has entered; the printed address enters."""
        session = gate.enter(token) if token else None
        if session is None:
            gate.require(request)
            return FileResponse(STATIC / page)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(_COOKIE + port_mark(request), session, httponly=True, samesite="strict")
        return answer

    return show


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, TableError), error
    return JSONResponse(described("refused", error.code, error.params.items()).model_dump(mode="json"), 409)


class HeatPictures:
    """Makes heat maps with the shipped network; from any thread, one at a time."""

    def __init__(self, models: Path | None = None) -> None:
        """The network is loaded with the first map, from `models` (None: the shipped folder)."""
        self._models = models
        self._network: HeatMapNetwork | None = None
        self._alone = Lock()

    def of(self, sight: CameraSight) -> bytes:
        """PNG of the heat over a shown picture. Raises `ConfigError` where the network is missing."""
        with self._alone:
            folder = (self._models or default_models_dir()) / "survey"
            self._network = self._network or HeatMapNetwork.open(folder)
            return heat_picture(self._network, sight.jpeg, sight.width, sight.height)


def _keep_view(file: StudioFile, body: KeepBody, folder: Path | None) -> KeptView:
    """Keep a round as a case in the folder. Raises `ConfigError`, CASE_FOLDER without a folder."""
    if folder is None:
        raise ConfigError("CASE_FOLDER")
    played = _round(file, body.round)
    feed, lines = keep_case(file.source, played, folder, body.name, at_table=file.at_table)
    return KeptView(path=str(feed), lines=lines, lines_before=len(played.lines))


def _round(file: StudioFile, number: int) -> PlayedRound:
    played = file.rounds.get(number)
    if played is None:
        raise ConfigError("ROUND_NOT_FOUND", round=number, last=max(file.rounds, default=0))
    return played


def _baseline_view(file: StudioFile, body: BaselineBody, known: Sequence[str]) -> BaselineView:
    """Return the changes of the case's expectation by these rules. Raises `ConfigError`."""
    rounds, secret = _baseline_rounds(file, body.rules, known)
    new = new_baseline(file.source.name, rounds, secret)
    with told_in(file.source.header.currency):
        changes = [
            BaselineChangeView(
                round=one.round,
                key=one.key,
                was=_read(one.key, one.expected),
                would=_read(one.key, one.actual),
            )
            for one in new.found
        ]
    return BaselineView(changes=tuple(changes), left_out=new.left_out)


def _accept_view(file: StudioFile, body: AcceptBody, known: Sequence[str], utc_us: int) -> AcceptedView:
    """Write the whole file's results by these rules as the case's expectation. Raises `ConfigError`."""
    rounds, secret = _baseline_rounds(file, body.rules, known)
    used = body.rules or file.source.header.rules
    made = accept_baseline(file.source.name, rounds, secret, reason=body.reason, rules=used, utc_us=utc_us)
    changed = len({one.round for one in made.found})
    return AcceptedView(path=str(made.expect), rounds=changed, values=len(made.found), left_out=made.left_out)


def _baseline_rounds(
    file: StudioFile, rules: str, known: Sequence[str]
) -> tuple[list[PlayedRound], frozenset[int]]:
    """All rounds by these rules, and which of them keep a card back by the file's own."""
    if rules and rules not in known:
        raise ConfigError("RULES_UNKNOWN", rules=rules, houses=", ".join(known))
    secret = frozenset(number for number, one in file.rounds.items() if is_secret(one.state))
    return played_rounds(OtherPlay(rules).of(file.source), at_table=file.at_table), secret


_WORDS_OF: Final = {"decision": "action", "outcome": "result", "status": "round_status"}
"""Facts and fields whose values are words of a closed vocabulary, and under which name their texts stand."""

AMOUNTS: Final = frozenset(("stake", "staked", "returned", "net"))
"""Fields of an expected round that are amounts in minor units."""


def _read(key: str, value: object) -> str | Money | Word:
    field = key.rpartition(".")[2]
    if field in AMOUNTS and isinstance(value, int):
        return money(value)
    if field in _WORDS_OF and f"{_WORDS_OF[field]}.{value}" in catalogue("en"):
        return Word(word=f"{_WORDS_OF[field]}.{value}")
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


OPEN_MAX: Final = 4
"""Files kept open at once: every table of each is in memory."""


class StudioFiles:
    """The files of the list, opened when they are first asked for."""

    def __init__(self, paths: Sequence[Path], begun: Callable[[Path], FileOpening]) -> None:
        """`begun` makes the opening of one of them."""
        self.paths: Final = tuple(paths)
        self._make = begun
        self._opened: dict[int, StudioFile] = {}
        self._opening: dict[int, FileOpening] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def get(self, number: int) -> StudioFile:
        """Give a file by its place in the list; raises `TableError`, and 404 where there is none."""
        if number not in self._opened:
            self._keep(number, self._begun(number).load())
        return self._opened[number]

    async def opened(self, number: int) -> StudioFile:
        """Return the opened file; meanwhile `opening` reports the progress."""
        if number not in self._opened:
            if number not in self._tasks:
                self._tasks[number] = asyncio.create_task(self._open(number))
            await asyncio.shield(self._tasks[number])
        return self._opened[number]

    def opening(self, number: int) -> OpeningView | None:
        """Return the progress of a file that is being opened; None for any other."""
        return self._opening[number].view() if number in self._opening else None

    async def _open(self, number: int) -> None:
        try:
            self._opening[number] = self._begun(number)
            self._keep(number, await asyncio.to_thread(self._opening[number].load))
        finally:
            self._opening.pop(number, None)
            self._tasks.pop(number, None)

    def _begun(self, number: int) -> FileOpening:
        if not 0 <= number < len(self.paths):
            raise HTTPException(404)
        return self._make(self.paths[number])

    def _keep(self, number: int, file: StudioFile) -> None:
        while len(self._opened) >= OPEN_MAX:
            oldest = self._opened.pop(next(iter(self._opened)))
            if oldest.seen is not None:
                oldest.seen.close()
        self._opened[number] = file


def create_studio(
    paths: Sequence[Path],
    gate: StudioGate,
    *,
    at_table: bool,
    cases: Path | None = None,
    rules: Sequence[str] = (),
    face_down: bool = False,
    clock: Clock,
) -> FastAPI:
    """Return the application over these files; `at_table`: feeds go through the table's door.

    `cases` is the folder for new cases, None for none; `rules` are rule files that a case may be expected by,
    beside the houses; `face_down`: see `require_turned`. `clock` dates accepted expectations, and gives the
    age of a recording.
    """
    app = local_app("stand17 studio", "studio.html", gate, _router)
    app.state.files = StudioFiles(paths, lambda path: FileOpening(path, at_table, clock.utc_us(), face_down))
    app.state.cases, app.state.clock, app.state.heat = cases, clock, HeatPictures()
    # Known by name: the page must not open other files of this machine.
    app.state.rules = tuple(dict.fromkeys((*HOUSES, *rules)))
    return app


async def _files(request: Request) -> StudioFiles:
    return cast(StudioFiles, request.app.state.files)


Files = Annotated[StudioFiles, Depends(_files)]
_router: Final = APIRouter()
_router.add_api_route("/api/catalogue/{language}", texts)


# Routes on the loop itself: one person asks, and a file is opened once.
@_router.get("/api/studio")
async def _listed(files: Files) -> list[StudioFileRow]:
    return [StudioFileRow(name=path.name, kind=kind_of(str(path))) for path in files.paths]


@_router.get("/api/studio/{number}")
async def _one(number: int, request: Request, files: Files) -> StudioFileView:
    file = await files.opened(number)
    # A second for a whole shift: pictures are answered meanwhile.
    return await asyncio.to_thread(file.view, files.paths[number].name, request.app.state.rules)


@_router.get("/api/studio/{number}/opening")
async def _opening(number: int, files: Files) -> OpeningView | None:
    return files.opening(number)


@_router.get("/api/studio/{number}/step/{at}")
async def _step(number: int, at: int, files: Files) -> StepView:
    file = files.get(number)
    if not 0 <= at < len(file.steps):
        raise HTTPException(404)
    return step_view(file.source, file.steps[at], at)


@_router.get("/api/studio/{number}/lines")
async def _lines(number: int, files: Files) -> list[LineView]:
    """All lines that have a sentence: the page searches them in its language."""
    file = files.get(number)

    def sentences() -> list[LineView]:
        said = ((at, step, words_of_line(step, hides=step.secret)) for at, step in enumerate(file.steps))
        return [
            LineView(step=at, round=step.round, text=words) for at, step, words in said if words is not None
        ]

    return await asyncio.to_thread(sentences)


def _seen(files: StudioFiles, number: int, at: int) -> RecordedSteps:
    file = files.get(number)
    if file.seen is None or not 0 <= at < len(file.steps):
        raise HTTPException(404)
    return file.seen


@_router.get("/api/studio/{number}/seen/{at}")
async def _seen_at(number: int, at: int, files: Files) -> SeenView:
    base = f"/api/studio/{number}"
    return _seen(files, number, at).view(at, f"{base}/picture/{at}", f"{base}/heat/{at}")


@_router.get("/api/studio/{number}/picture/{at}/{camera}")
async def _picture(number: int, at: int, camera: int, files: Files) -> Response:
    return Response(_sight(files, number, at, camera).jpeg, media_type="image/jpeg")


@_router.get("/api/studio/{number}/heat/{at}/{camera}")
async def _heat(number: int, at: int, camera: int, request: Request, files: Files) -> Response:
    sight = _sight(files, number, at, camera)
    heat: HeatPictures = request.app.state.heat
    return Response(await asyncio.to_thread(heat.of, sight), media_type="image/png")


def _sight(files: StudioFiles, number: int, at: int, camera: int) -> CameraSight:
    found = _seen(files, number, at).sight(at, camera)
    if found is None:
        raise HTTPException(404)
    return found


@_router.post("/api/studio/{number}/keep")
async def _keep(number: int, body: KeepBody, request: Request, files: Files) -> KeptView:
    # Seconds for a long file: the page goes on meanwhile.
    return await asyncio.to_thread(_keep_view, files.get(number), body, request.app.state.cases)


@_router.post("/api/studio/{number}/baseline")
async def _baseline(number: int, body: BaselineBody, request: Request, files: Files) -> BaselineView:
    return await asyncio.to_thread(_baseline_view, files.get(number), body, request.app.state.rules)


@_router.post("/api/studio/{number}/accept")
async def _accept(number: int, body: AcceptBody, request: Request, files: Files) -> AcceptedView:
    state = request.app.state
    # A file in use is played as a whole: the page goes on meanwhile.
    return await asyncio.to_thread(_accept_view, files.get(number), body, state.rules, state.clock.utc_us())
