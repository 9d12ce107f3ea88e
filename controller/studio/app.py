"""The tester's local page: files that the caller may read in, an application for this machine alone out."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final, cast

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.responses import Response

from controller.ports import Clock
from controller.replay.files.file_kind import kind_of
from controller.rules import HOUSES
from controller.runtime.contradictions import CameraSight
from controller.studio.bodies import (
    AcceptBody,
    AcceptedView,
    BaselineBody,
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
from controller.studio.cases import accept_view, baseline_view, keep_view
from controller.studio.file_opening import FileOpening
from controller.studio.gate import StudioGate, local_app
from controller.studio.heat_pictures import HeatPictures
from controller.studio.recorded_steps import RecordedSteps
from controller.studio.step_view import step_view
from controller.studio.studio_file import StudioFile
from controller.studio.studio_step import words_of_line
from controller.web.routes import texts

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
    return await asyncio.to_thread(_sentences, files.get(number))


def _sentences(file: StudioFile) -> list[LineView]:
    said = ((at, step, words_of_line(step, hides=step.secret)) for at, step in enumerate(file.steps))
    return [LineView(step=at, round=step.round, text=words) for at, step, words in said if words is not None]


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
    return await asyncio.to_thread(keep_view, files.get(number), body, request.app.state.cases)


@_router.post("/api/studio/{number}/baseline")
async def _baseline(number: int, body: BaselineBody, request: Request, files: Files) -> BaselineView:
    return await asyncio.to_thread(baseline_view, files.get(number), body, request.app.state.rules)


@_router.post("/api/studio/{number}/accept")
async def _accept(number: int, body: AcceptBody, request: Request, files: Files) -> AcceptedView:
    state = request.app.state
    # A file in use is played as a whole: the page goes on meanwhile.
    return await asyncio.to_thread(accept_view, files.get(number), body, state.rules, state.clock.utc_us())
