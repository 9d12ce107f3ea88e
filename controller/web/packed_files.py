"""Files that a page fetches once, compressed with gzip if accepted: the build's files, and its texts."""

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

_OTHER_PAGES: Final = {"diff", "replay"}
"""Texts that only the pit's page and the studio show."""

ERRORS_AT_THE_TABLE: Final = {
    "CHAIN_BROKEN", "CONFIG_CURRENCY_DIGITS", "CONFIG_KEPT_BESIDE", "CONFIG_MISSING", "CONFIG_NOT_TOML",
    "CONFIG_NO_CARDS", "CONFIG_NO_CURRENCY", "CONFIG_TWO_SHOES", "CONFIG_WRONG", "DECK_OTHER_MODEL",
    "DEVICE_NOT_LIVE", "DEVICE_OPEN_FAILED", "ENROL_INCOMPLETE", "ENROL_NOT_FOUND", "ENROL_UNPROVEN",
    "ENTRY_TOO_NEW", "ENTRY_UNREADABLE", "ENTRY_UNWRITABLE", "EXPECT_UNREADABLE", "FEED_EMPTY",
    "FEED_FIELD_BAD", "FEED_FIELD_MISSING", "FEED_LINE_TOO_LONG", "FEED_NOT_FOUND", "FEED_NOT_JSON",
    "FEED_NOT_OBJECT", "FEED_NO_HEADER", "FEED_OBS_MISSING", "FEED_OBS_UNKNOWN", "FEED_TIME_BACKWARDS",
    "FEED_UNREADABLE", "FEED_VERSION", "FILE_NOT_WRITTEN", "HEADS_UNREADABLE", "JOURNAL_ALTERED",
    "JOURNAL_CANNOT_OPEN", "JOURNAL_CUT_OFF", "JOURNAL_DAMAGED", "JOURNAL_DISK_FULL", "JOURNAL_FAILED",
    "JOURNAL_GONE", "JOURNAL_IN_USE", "JOURNAL_IO_FAILED", "JOURNAL_LINKED", "JOURNAL_LOCKED",
    "JOURNAL_LOG_MISSING", "JOURNAL_READ_ONLY", "JOURNAL_REWRITTEN", "JSON_HALF_CHARACTER",
    "JSON_KEY_TWICE", "JSON_NOT_UTF8", "KEY_OPEN_TO_OTHERS", "KEY_UNREADABLE", "LAYOUTS_APART",
    "LAYOUTS_CLASH", "LAYOUT_MISSING", "LAYOUT_NOT_TOML", "LAYOUT_NOT_WRITTEN", "LAYOUT_NO_BOXES",
    "LAYOUT_OTHER_SIZE",
    "LAYOUT_REFERENCE_CHANGED", "LAYOUT_UNKNOWN", "LAYOUT_WRONG", "METRICS_TOKEN", "METRICS_TOKEN_OPEN",
    "NOT_A_JOURNAL", "NOT_OPENED", "NO_SUCH_ROUND", "OTHER_KEY", "OTHER_TABLE", "OUTPUT_EXISTS",
    "OUTPUT_IS_EVIDENCE", "OUTPUT_IS_INPUT", "OUTPUT_IS_LINK", "OUTPUT_TWICE", "PERSON_ID_WRONG",
    "PERSON_NAME_WRONG", "PIN_TOO_EASY", "PIN_TOO_SHORT", "RECORDING_MISSING", "REFERENCE_UNREADABLE",
    "REQUEST_WRONG", "RETIRED_KEEP_SYSLOG", "RULES_FIELD_BAD", "RULES_FIELD_MISSING",
    "RULES_FIELD_UNKNOWN", "RULES_UNKNOWN", "RULES_UNREADABLE", "RULE_NOT_ANALYSED", "SCHEMA_TOO_NEW",
    "SHOE_COMMAND_NOT_ALLOWED", "SHOE_COMMAND_UNKNOWN", "SQLITE_UNSAFE", "TASK_ENDED",
}  # fmt: skip
"""Errors of a table's server and its devices. The others stop a command before a page is served."""

_UNPACKED: Final = {"Vary": "Accept-Encoding"}
_PACKED: Final = {"Content-Encoding": "gzip", **_UNPACKED}


def _takes_gzip(headers: Headers) -> bool:
    """Whether the client accepts gzip."""
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
        if _takes_gzip(asked):
            answer = FileResponse(packed, status_code, _PACKED, kind, stat_result=packed.stat())
        else:
            answer = FileResponse(full_path, status_code, _UNPACKED, kind, stat_result=stat_result)
        return NotModifiedResponse(answer.headers) if self.is_not_modified(answer.headers, asked) else answer


def _is_at_the_table(key: str) -> bool:
    kind, _, code = key.partition(".")
    return code in ERRORS_AT_THE_TABLE if kind == "error" else kind not in _OTHER_PAGES


@cache
def _texts(language: str, *, at_the_table: bool) -> bytes:
    kept = {
        key: text
        for key, text in catalogue(language).items()
        if key.partition(".")[0] not in CONSOLE and (not at_the_table or _is_at_the_table(key))
    }
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()


@cache
def _packed_texts(language: str, *, at_the_table: bool) -> bytes:
    return gzip.compress(_texts(language, at_the_table=at_the_table), mtime=0)


def page_texts(language: str, asked: Headers, *, at_the_table: bool = False) -> Response:
    """Answer with the texts of the pages in one language, as JSON; KeyError where it is not shipped.

    `at_the_table` leaves out the texts that the dealer's page does not need.
    """
    if _takes_gzip(asked):
        packed = _packed_texts(language, at_the_table=at_the_table)
        return Response(packed, headers=_PACKED, media_type="application/json")
    plain = _texts(language, at_the_table=at_the_table)
    return Response(plain, headers=_UNPACKED, media_type="application/json")
