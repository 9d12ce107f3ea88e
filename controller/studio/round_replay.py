"""Rounds of a running table that are over, to step through: for whoever may read its audit trail."""

import asyncio
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from fastapi.responses import FileResponse, Response

from controller.studio.round_cut import RoundCut, round_case, round_cut
from controller.web.parts import Parts, WebParts
from controller.web.reading import AuditorsOnly, ReadersOnly
from controller.web.settings import STATIC

KEPT_MAX: Final = 4
"""Rounds kept in memory, a megabyte or two each."""

JSON: Final = "application/json"
Number = Annotated[int, InPath(ge=1)]


class PlayedRounds:
    """The rounds that somebody has looked at; used on the table's loop."""

    def __init__(self, journal: Path) -> None:
        """Nothing is read before somebody looks."""
        self._journal = journal
        self._kept: dict[int, RoundCut] = {}
        self._reading = asyncio.Lock()

    async def again(self, number: int) -> RoundCut:
        """Play a round with what was ruled on it by now; 404 where there is none that is over."""
        # One at a time: whoever taps ten links has ten answers, not ten processes.
        async with self._reading:
            found = await asyncio.to_thread(round_cut, self._journal, number)
        if found is None:
            raise HTTPException(404)
        self._kept.pop(number, None)
        self._kept[number] = found
        while len(self._kept) > KEPT_MAX:
            del self._kept[next(iter(self._kept))]
        return found

    async def case(self, number: int) -> bytes:
        """Make a test case of a round, a ZIP; 404 as `again`, and where a card of it was never turned."""
        async with self._reading:
            zipped = await asyncio.to_thread(round_case, self._journal, number)
        if zipped is None:
            raise HTTPException(404)
        return zipped

    async def kept(self, number: int) -> RoundCut:
        """What was played last: steps keep their numbers while somebody goes through them."""
        return self._kept.get(number) or await self.again(number)


def round_replay() -> APIRouter:
    """Make the player's page and its routes over the rounds of the table that a request is about."""
    router = APIRouter(include_in_schema=False)
    of: dict[Path, PlayedRounds] = {}

    def played(parts: WebParts) -> PlayedRounds:
        if parts.screens.journal is None:
            raise HTTPException(404)
        return of.setdefault(parts.screens.journal, PlayedRounds(parts.screens.journal))

    @router.get("/replay", dependencies=[ReadersOnly])
    async def page() -> Response:
        return FileResponse(STATIC / "studio.html")

    @router.get("/api/played/{number}", dependencies=[AuditorsOnly])
    async def one(number: Number, parts: Parts) -> Response:
        return Response((await played(parts).again(number)).file, media_type=JSON)

    @router.get("/api/played/{number}/step/{at}", dependencies=[AuditorsOnly])
    async def step(number: Number, at: int, parts: Parts) -> Response:
        steps = (await played(parts).kept(number)).steps
        if not 0 <= at < len(steps):
            raise HTTPException(404)
        return Response(steps[at], media_type=JSON)

    @router.get("/api/played/{number}/case", dependencies=[AuditorsOnly])
    async def case(number: Number, parts: Parts) -> Response:
        zipped = await played(parts).case(number)
        name = f'attachment; filename="round_{number}.zip"'
        return Response(zipped, media_type="application/zip", headers={"Content-Disposition": name})

    return router
