"""Gaming days: which day a moment belongs to, and which file holds the journal of a day.

`[journal] file` may name a file for each day: `{table}` stands for the table's name and `{day}` for the
gaming day as YYYY-MM-DD. The day is the house's: it begins at `[journal] day_begins`, local time.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Final

DAY: Final = "{day}"
TABLE: Final = "{table}"
BEGINS: Final = time(6)
"""A gaming day begins in the morning, after the last guests have left."""

BESIDE: Final = ("", ".head", ".mark", ".signed")
"""What a journal leaves in its folder: each of them says that there was one."""

_NOT_IN_NAMES: Final = re.compile(r"[/\\\0-\x1f\x7f]|^\.|^-|^\s|\s$|^$")
"""A name that leads elsewhere, hides its file, reads as an option, or is lost in a list."""


def gaming_day(utc_us: int, begins: time) -> date:
    """The gaming day of a moment, in microseconds since 1970 UTC."""
    local = datetime.fromtimestamp(utc_us / 1e6, UTC).astimezone()
    return (local - timedelta(hours=begins.hour, minutes=begins.minute)).date()


def fits_in_name(table: str) -> bool:
    """Whether a table's name can be part of a file name."""
    return _NOT_IN_NAMES.search(table) is None


class DayFiles:
    """The journals of one table, a file for each gaming day.

    >>> days = DayFiles(Path("/var/lib/stand17/{table}-{day}.journal"), "BJ1")
    >>> days.file_of(date(2026, 11, 28)).name
    'BJ1-2026-11-28.journal'
    >>> days.day_of("BJ1-2026-11-28.journal")
    datetime.date(2026, 11, 28)
    """

    def __init__(self, pattern: Path, table: str) -> None:
        """Take a `pattern`, a path whose name contains `{day}`."""
        self.folder: Final = pattern.parent
        self.undated: Final = self.folder / re.sub(r"[-_. ]?\{day\}", "", pattern.name.replace(TABLE, table))
        """A name without the day, for what a table keeps over all days, such as its recordings."""
        self._name = pattern.name.replace(TABLE, table)
        before, _, after = map(re.escape, self._name.partition(DAY))
        self._known = re.compile(rf"{before}(\d{{4}}-\d{{2}}-\d{{2}}){after}")

    def file_of(self, day: date) -> Path:
        """The journal of a day."""
        return self.folder / self._name.replace(DAY, day.isoformat())

    def day_of(self, name: str) -> date | None:
        """The day of a file by its name, None for a file of another table or kind."""
        found = self._known.fullmatch(name)
        try:
            return None if found is None else date.fromisoformat(found[1])
        except ValueError:
            return None

    def days(self, folder: Path | None = None) -> list[date]:
        """Return the days with a journal, or a file beside one, in a folder, the newest first."""
        return sorted(set(self._days_in(folder or self.folder)), reverse=True)

    def _days_in(self, folder: Path) -> Iterator[date]:
        for path in folder.iterdir() if folder.is_dir() else ():
            for ending in BESIDE:
                day = self.day_of(path.name.removesuffix(ending)) if path.name.endswith(ending) else None
                if day is not None:
                    yield day
