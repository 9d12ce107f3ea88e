"""Failures of this program on a command or a report: counted, and logged without their content.

A failure is no refusal. The table takes nothing of the item and continues; the log is for the developers.
"""

import traceback
from collections import Counter
from collections.abc import Mapping
from typing import Final, Protocol

import structlog

from controller.domain import plain

_SOURCE_MAX: Final = 80
"""Characters of a source's name in the log."""


class FailureSink(Protocol):
    """Hears of each failure."""

    def failed(self, source: str, error: Exception) -> None:
        """Hear that what `source` (a role, a device) brought could not be taken because of `error`."""
        ...


class FailureLog:
    """Counts failures by the place in the program, and logs the 1st, 10th, 100th … of each place.

    Neither the error's own words nor values are logged: they can name a card that lies face down.
    """

    def __init__(self, log: structlog.typing.FilteringBoundLogger) -> None:
        """Begin with none."""
        self._log = log
        self._counts: Counter[tuple[str, str]] = Counter()

    def failed(self, source: str, error: Exception) -> None:
        """Count the failure; log the 1st, 10th, 100th at its place, without its words."""
        place = _place(error)
        key = (type(error).__name__, place)
        self._counts[key] += 1
        count = self._counts[key]
        if str(count).rstrip("0") == "1":
            self._log.error("failed", source=plain(source)[:_SOURCE_MAX], error=key[0], at=place, count=count)

    def figures(self) -> Mapping[str, float]:
        """Give the count for the house's monitoring."""
        return {"failures": float(self._counts.total())}


class IgnoredFailures:
    """Ignores failures, as in a replay."""

    def failed(self, source: str, error: Exception) -> None:
        """Do nothing."""


IGNORED_FAILURES: Final = IgnoredFailures()


def _place(error: Exception) -> str:
    """Name the line that raised, as file:line."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else "?"
