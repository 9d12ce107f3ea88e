"""The report of the shift that runs on the pit's page: made by a process of its own when somebody asks."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal, get_args

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import Response

from controller.domain.errors import TableError
from controller.i18n import Language
from controller.journal.table_key import TableKey
from controller.replay.report.report_files import Form, signed_report, written
from controller.replay.report.words import paper_of
from controller.screens.own_process import answer_of, stand_back
from controller.web.parts import Parts
from controller.web.reading import AuditorsOnly

MODULE: Final = "controller.studio.report_page"
"""This one, by name: as a program it has another."""

PAGE: Final = "page"
MEDIA: Final[Mapping[str, str]] = {
    PAGE: "application/json",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "pdf": "application/pdf",
}
NO_KEYS: Final[Mapping[Path, Path]] = MappingProxyType({})


def main() -> None:
    """Write the report of a journal in a form and a language; exit status 2 without one."""
    journal, key, form, language = sys.argv[1:]
    stand_back()
    try:
        signed = signed_report(Path(journal), TableKey.given(Path(key)) if key else None)
        if form == PAGE:
            done = paper_of(signed, language).model_dump_json().encode()
        else:
            done = written(next(one for one in get_args(Form) if one == form), [signed], language)
    except TableError:
        sys.exit(2)
    sys.stdout.buffer.write(done)


if __name__ == "__main__":
    main()


def shift_report(keys: Mapping[Path, Path] = NO_KEYS) -> APIRouter:
    """Make the routes; `keys` are the files of the keys by which tables sign, by the tables' journals."""
    router, alone = APIRouter(include_in_schema=False), asyncio.Lock()

    @router.get("/api/report/{form}", dependencies=[AuditorsOnly])
    async def report(
        form: Form | Literal["page"], parts: Parts, language: Annotated[Language, Query()] = "en"
    ) -> Response:
        journal = parts.screens.journal
        if journal is None:
            raise HTTPException(404)
        key = str(keys.get(journal, ""))
        # One at a time: whoever taps ten keys has ten answers, not ten processes.
        async with alone:
            done = await asyncio.to_thread(answer_of, MODULE, str(journal), key, form, language)
        if done is None:
            raise HTTPException(404)
        name = f'attachment; filename="shift_report.{form}"'
        headers = {} if form == PAGE else {"Content-Disposition": name}
        return Response(done, media_type=MEDIA[form], headers=headers)

    return router
