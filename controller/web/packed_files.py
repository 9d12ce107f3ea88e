"""What a page fetches once, packed (gzip) where the browser takes that: the build's files, and its texts."""

import gzip
import json
import mimetypes
import os
from functools import cache
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import NotModifiedResponse, PathLike, StaticFiles
from starlette.types import Scope

from controller.i18n import catalogue

CONSOLE: Final = {
    "archive", "calibrate", "cli", "devices", "doctor", "enrol", "export", "files", "floor", "init",
    "misfit", "on_alert", "people", "record", "report", "run", "setup", "shift_report", "show", "shrink",
    "signed", "software", "takeover", "tls", "verify", "version", "witness",
}  # fmt: skip
"""Texts that only a console prints, by the first part of their keys: no page is sent them."""

UNPACKED: Final = {"Vary": "Accept-Encoding"}
PACKED: Final = {"Content-Encoding": "gzip", **UNPACKED}


def takes_gzip(headers: Headers) -> bool:
    """Whether whoever asks can unpack an answer."""
    codings = (part.partition(";")[0].strip() for part in headers.get("accept-encoding", "").split(","))
    return "gzip" in codings


class PackedFiles(StaticFiles):
    """Serves `NAME.gz` in place of `NAME` where there is one; vite.config.ts writes them."""

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Answer with the packed file, or as ever."""
        asked, packed = Headers(scope=scope), Path(f"{full_path}.gz")
        if not packed.is_file():
            return super().file_response(full_path, stat_result, scope, status_code)
        kind, _ = mimetypes.guess_type(str(full_path))
        if takes_gzip(asked):
            answer = FileResponse(packed, status_code, PACKED, kind, stat_result=packed.stat())
        else:
            answer = FileResponse(full_path, status_code, UNPACKED, kind, stat_result=stat_result)
        return NotModifiedResponse(answer.headers) if self.is_not_modified(answer.headers, asked) else answer


@cache
def _texts(language: str) -> bytes:
    kept = {key: text for key, text in catalogue(language).items() if key.partition(".")[0] not in CONSOLE}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()


@cache
def _packed_texts(language: str) -> bytes:
    return gzip.compress(_texts(language), mtime=0)


def page_texts(language: str, asked: Headers) -> Response:
    """Answer with all texts of a page in one language, as JSON; KeyError where it is not shipped."""
    if takes_gzip(asked):
        return Response(_packed_texts(language), headers=PACKED, media_type="application/json")
    return Response(_texts(language), headers=UNPACKED, media_type="application/json")
