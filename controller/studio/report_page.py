"""The report of the running shift on the pit's page, made by a process of its own on request.

A report is kept until its journal has grown. At most one process makes one, for all forms.
"""

import asyncio
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal, NamedTuple

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import Response
from pydantic import BaseModel

from controller.domain import JournalError, TableError
from controller.i18n import Language
from controller.journal.head_file import TableKey
from controller.journal.store import JournalReader
from controller.replay.report_files import Form, paper_of, report_with_heads, signed, written
from controller.replay.shift_report import ReportWithHeads
from controller.screens.patterns import ANSWER, answer_of, say_progress, stand_back
from controller.web.parts import Parts
from controller.web.session import AuditorsOnly

MODULE: Final = "controller.studio.report_page"
"""This one, by name: as a program it has another."""

PAGE: Final = "page"
PRINTED: Final = "printed"
MEDIA: Final[Mapping[str, str]] = {
    PAGE: "application/json",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "pdf": "application/pdf",
}
_NO_KEYS: Final[Mapping[Path, Path]] = MappingProxyType({})
EVERY: Final = 500
"""Entries after which the process says how far it is."""
KEPT_MAX: Final = 8
"""Reports that are kept, each of another journal."""


class ReportProgress(BaseModel):
    """The progress of a journal's report: `read` of its `entries`."""

    read: int
    entries: int


End = tuple[int, bytes]
"""The number and hash of an entry."""


class _Kept(NamedTuple):
    end: End
    report: ReportWithHeads


class ShiftReports:
    """The newest report of each journal."""

    def __init__(self, keys: Mapping[Path, Path]) -> None:
        """Begin without a report; `keys` are the files of the tables' signing keys, by their journals."""
        self._keys = keys
        self._kept: dict[Path, _Kept] = {}
        self._alone = asyncio.Lock()
        self._making: dict[Path, asyncio.Task[ReportWithHeads]] = {}
        self.progress = ReportProgress(read=0, entries=0)
        """Of the report that is made now."""

    def made(self, journal: Path) -> asyncio.Task[ReportWithHeads]:
        """Return the task of the report up to the journal's present end.

        It raises `HTTPException` 404 without a report.
        """
        making = self._making.get(journal)
        if making is None:
            making = self._making[journal] = asyncio.create_task(self._report(journal))
            making.add_done_callback(lambda task: self._finish(journal, task))
        return making

    def _finish(self, journal: Path, task: asyncio.Task[ReportWithHeads]) -> None:
        del self._making[journal]
        # The requester may have disconnected: retrieve the exception here.
        _ = task.cancelled() or task.exception()

    async def printed(self, report: ReportWithHeads, language: Language) -> bytes:
        """A report as PDF, by another process. Raises `HTTPException` 404 where it cannot be printed."""
        given = report.model_dump_json().encode()
        async with self._alone:
            done = await asyncio.to_thread(answer_of, MODULE, PRINTED, language, given=given)
        if done is None:
            raise HTTPException(404)
        return done

    async def _report(self, journal: Path) -> ReportWithHeads:
        end = await asyncio.to_thread(_end_of, journal)
        kept = self._kept.get(journal)
        if kept is not None and kept.end == end:
            return kept.report
        key = str(self._keys.get(journal, ""))
        async with self._alone:
            self.progress = ReportProgress(read=0, entries=end[0])
            done = await asyncio.to_thread(answer_of, MODULE, str(journal), key, progress=self._proceed)
        if done is None:
            raise HTTPException(404)
        report = ReportWithHeads.model_validate_json(done)
        self._kept.pop(journal, None)
        self._kept[journal] = _Kept(await asyncio.to_thread(_end_of, journal, report.head.seq), report)
        if len(self._kept) > KEPT_MAX:
            del self._kept[next(iter(self._kept))]
        return report

    def _proceed(self, read: int) -> None:
        self.progress = self.progress.model_copy(update={"read": read})


def _end_of(journal: Path, seq: int | None = None) -> End:
    """The last entry of a journal, or the entry `seq`. Raises `HTTPException` 404 where it cannot be read."""
    try:
        with closing(JournalReader(journal)) as reader:
            end = reader.last_seq() if seq is None else seq
            return end, reader.hash_at(end)
    except JournalError as error:
        raise HTTPException(404) from error


def main() -> None:
    """Write the signed report of a journal as JSON, or a given one as PDF; exit status 2 without one."""
    what, with_what = sys.argv[1:]
    stand_back()
    try:
        if what == PRINTED:
            given = ReportWithHeads.model_validate_json(sys.stdin.buffer.read())
            done = written("pdf", [given], with_what)
        else:
            key = TableKey.given(Path(with_what)) if with_what else None
            made = report_with_heads(
                Path(what), progress=lambda read: None if read % EVERY else say_progress(read)
            )
            done = ANSWER + signed(made, key).model_dump_json().encode()
    except TableError:
        sys.exit(2)
    sys.stdout.buffer.write(done)


if __name__ == "__main__":
    main()


def shift_report(keys: Mapping[Path, Path] = _NO_KEYS) -> APIRouter:
    """Return the routes; `keys` as for `ShiftReports`.

    With `wait` the answer is 202 and a `ReportProgress` when the report takes more seconds than that.
    """
    router, reports = APIRouter(include_in_schema=False), ShiftReports(keys)

    @router.get("/api/report/{form}", dependencies=[AuditorsOnly])
    async def report(
        form: Form | Literal["page"],
        parts: Parts,
        language: Annotated[Language, Query()] = "en",
        wait: Annotated[float | None, Query(ge=0, le=60)] = None,
    ) -> Response:
        journal = parts.screens.journal
        if journal is None:
            raise HTTPException(404)
        making = reports.made(journal)
        done, _ = await asyncio.wait({making}, timeout=wait)
        if not done:
            return Response(reports.progress.model_dump_json(), 202, media_type="application/json")
        found = making.result()
        if form == PAGE:
            return Response(paper_of(found, language).model_dump_json(), media_type=MEDIA[form])
        data = await reports.printed(found, language) if form == "pdf" else written(form, [found], language)
        return Response(
            data,
            media_type=MEDIA[form],
            headers={"Content-Disposition": f'attachment; filename="shift_report.{form}"'},
        )

    return router
