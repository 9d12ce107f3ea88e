"""Finished rounds of a running table, to step through, for readers of its audit trail."""

import asyncio
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from fastapi.responses import FileResponse, Response

from controller.domain import ConfigError, TableError
from controller.engine.state import TableState
from controller.replay.journal_check import closed_round
from controller.replay.kept_cases import keep_case
from controller.replay.table_file import expect_beside, one_round, read_table_file
from controller.runtime.redaction import is_secret
from controller.screens.patterns import answer_of, stand_back
from controller.studio.studio_file import OVER, StudioFile, step_view
from controller.web.parts import STATIC, Parts, WebParts
from controller.web.session import AuditorsOnly, ReadersOnly

CASE: Final = "case"

MODULE: Final = "controller.studio.round_replay"
"""This one, by name: as a program it has another."""


KnownRounds = tuple[TableState | None, TableState | None]
"""The round before one and the round itself as the table keeps them, None where it does not any more."""


class RoundCut(NamedTuple):
    """A `StudioFileView` of one round and the `StepView` of each of its steps, as JSON text."""

    file: bytes
    steps: tuple[bytes, ...]


def _round_cut(journal: Path, number: int) -> RoundCut | None:
    """Return a round of a day played whole, by another process; None for an unfinished round."""
    written = answer_of(MODULE, str(journal), str(number))
    if written is None:
        return None
    file, *steps = written.splitlines()
    return RoundCut(file, tuple(steps))


def round_alone(journal: Path, number: int, known: KnownRounds) -> RoundCut | None:
    """Return the same from its own entries, in a tenth of a second; None when the whole day must be played.

    Raises `HTTPException` 404 for an unfinished round.
    """
    before, closed = known
    if closed is None or (before is None and number > 1):
        return None
    if closed.settlement.status not in OVER:
        raise HTTPException(404)
    cut = closed_round(journal, number, before)
    if cut is None:
        return None
    opened = one_round(str(journal), cut)
    file = StudioFile(opened, at_table=opened.at_table, only=number, running=True)
    # A ruling since then may have turned its card, or laid another one face down.
    same = number in file.rounds and is_secret(file.rounds[number].state) == is_secret(closed)
    return written(file, number) if same else None


def written(file: StudioFile, number: int) -> RoundCut:
    """Return a round of a file as JSON: the round, and each of its steps."""
    steps = [
        step_view(file.source, step, at).model_dump_json().encode() for at, step in enumerate(file.steps)
    ]
    return RoundCut(file.view(str(number)).model_dump_json().encode(), tuple(steps))


def _round_case(journal: Path, number: int) -> bytes | None:
    """Return a round as a test case, a ZIP; None as `_round_cut`, and for a card that was never turned."""
    return answer_of(MODULE, str(journal), str(number), CASE)


def main() -> None:
    """Write the round that the command line names; exit status 2 without one."""
    journal, number, *case = sys.argv[1:]
    stand_back()
    try:
        opened = read_table_file(journal)
        wanted = int(number)
        file = StudioFile(opened, at_table=opened.at_table, only=wanted, running=True)
        zipped = _case(file, wanted) if case and file.rounds else b""
    except TableError:
        sys.exit(2)
    if not file.rounds:
        sys.exit(2)
    if zipped:
        sys.stdout.buffer.write(zipped)
        return
    cut = written(file, wanted)
    sys.stdout.buffer.write(b"\n".join((cut.file, *cut.steps)))


def _case(file: StudioFile, number: int) -> bytes:
    """The files of the case. Raises `ConfigError` of `keep_case`; CASE_SECRET of a card never turned."""
    if is_secret(file.rounds[number].state):
        raise ConfigError("CASE_SECRET")
    written = BytesIO()
    with TemporaryDirectory() as folder, ZipFile(written, "w", ZIP_DEFLATED) as archive:
        feed, _ = keep_case(
            file.source, file.rounds[number], Path(folder), f"round_{number}", at_table=file.at_table
        )
        rounds = StudioFile(read_table_file(str(feed)), at_table=file.at_table).rounds.values()
        if any(is_secret(one.state) for one in rounds):
            raise ConfigError("CASE_SECRET")
        for one in (feed, expect_beside(feed)):
            archive.write(one, one.name)
    return written.getvalue()


if __name__ == "__main__":
    main()


KEPT_MAX: Final = 4
"""Rounds kept in memory, a megabyte or two each."""

JSON: Final = "application/json"
Number = Annotated[int, InPath(ge=1)]


class PlayedRounds:
    """The requested rounds; used on the table's loop."""

    def __init__(self, journal: Path) -> None:
        """Begin unread."""
        self._journal = journal
        self._kept: dict[int, RoundCut] = {}
        self._reading = asyncio.Lock()

    async def again(self, number: int, known: KnownRounds = (None, None)) -> RoundCut:
        """Play a round; 404 where there is none that is over."""
        # One at a time: ten tapped links get ten answers without ten processes.
        async with self._reading:
            found = await asyncio.to_thread(round_alone, self._journal, number, known)
            found = found or await asyncio.to_thread(_round_cut, self._journal, number)
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
            zipped = await asyncio.to_thread(_round_case, self._journal, number)
        if zipped is None:
            raise HTTPException(404)
        return zipped

    async def kept(self, number: int) -> RoundCut:
        """Return the last played version, so that steps keep their numbers while a person uses them."""
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
        known = parts.screens.closed_rounds(number)
        return Response((await played(parts).again(number, known)).file, media_type=JSON)

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
