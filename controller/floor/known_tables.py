"""The keys of each table: a file of the archive, which registers the first key of a name.

As with ssh's known hosts, the first key of a name keeps it. The house adds another key of the same table,
such as a spare machine's, as a line: `{"key": "64 digits", "table": "BJ1"}`.
"""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Final

from controller.domain import JournalError
from controller.floor.journal_archive import file_state
from controller.journal.keeping import AppendedFile
from controller.ports import PRIVATE

FILE: Final = "tables.jsonl"


class KnownTables:
    """The lines of one archive's file, or of several; they are read again once one has changed."""

    def __init__(self, archives: Collection[Path]) -> None:
        """Begin unread; a folder without the file has no keys."""
        self._files = tuple(archive / FILE for archive in archives)
        self._state: tuple[object, ...] = ()
        self._names: dict[str, str] = {}

    def table_of(self, key: str) -> str | None:
        """Return the table of this key; None for an unknown key."""
        return self._read().get(key)

    def enrol(self, key: str, table: str) -> bool:
        """Whether the key belongs to this table; the first key of a name is registered.

        Raises `JournalError` ARCHIVE_UNWRITABLE.
        """
        names = self._read()
        if key not in names and table not in names.values():
            line = json.dumps({"key": key, "table": table}).encode() + b"\n"
            try:
                AppendedFile(self._files[0], mode=PRIVATE).append(line)
            except OSError as error:
                reason = error.strerror or ""
                raise JournalError("ARCHIVE_UNWRITABLE", path=str(self._files[0]), reason=reason) from error
        return self._read().get(key) == table

    def _read(self) -> dict[str, str]:
        state = tuple(map(file_state, self._files))
        if state != self._state:
            self._names = {key: name for file in self._files for key, name in _lines_of(file)}
            self._state = state
        return self._names


def _lines_of(file: Path) -> list[tuple[str, str]]:
    """Return key and table of each line; an unreadable line registers no key."""
    found: list[tuple[str, str]] = []
    for line in file.read_bytes().split(b"\n") if file.exists() else ():
        try:
            fields = json.loads(line)
            found.append((str(fields["key"]), str(fields["table"])))
        except (KeyError, TypeError, ValueError):
            continue
    return found
