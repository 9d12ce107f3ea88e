"""What an examination of a table finds."""

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, NamedTuple

from controller.domain import TableError
from controller.i18n import text

Level = Literal["fine", "advice", "problem"]
"""`advice`: worth mending, and no table is kept closed for it."""

Check = Literal[
    "rules",
    "program",
    "reader",
    "people",
    "page",
    "port",
    "settings",
    "clock",
    "disk",
    "files",
    "signing",
    "camera",
    "devices",
]
"""What is looked at, in this order."""

FINE: Final = "doctor.FINE"


class CheckResult(NamedTuple):
    """One thing that was looked at. `key` names its text, `subject` the device or file that it is about."""

    check: Check
    level: Level
    key: str = FINE
    params: dict[str, str | int] = {}  # noqa: RUF012  # never written to
    subject: str = ""

    @property
    def code(self) -> str:
        """The code, which is the same in every language; "" where nothing is wrong."""
        return "" if self.level == "fine" else self.key.rpartition(".")[2]

    @property
    def is_ours(self) -> bool:
        """Whether nobody but the doctor would say this."""
        return self.key.startswith("doctor.")

    def words(self, language: str) -> str:
        """What is wrong and how to mend it."""
        return text(self.key, self.params, language)

    def as_json(self, language: str) -> dict[str, Any]:
        """The finding for a program to read."""
        return {
            "check": self.check,
            "level": self.level,
            "code": self.code,
            "subject": self.subject,
            "params": self.params,
            "text": self.words(language),
        }


def advice(check: Check, code: str, subject: str = "", **params: str | int) -> CheckResult:
    """Something that should be mended some time."""
    return CheckResult(check, "advice", f"doctor.{code}", params, subject)


def problem_of(check: Check, error: TableError) -> CheckResult:
    """What the table itself would refuse, or hold for, in its own words."""
    return CheckResult(check, "problem", f"error.{error.code}", dict(error.params))


def looked(check: Check, look: Callable[[], Iterator[CheckResult]]) -> list[CheckResult]:
    """Run one check: what it finds, what it raises as a problem, or that all is well.

    A folder that this account may not search is a problem too.
    """
    found: list[CheckResult] = []
    try:
        found.extend(look())
    except TableError as error:
        found.append(problem_of(check, error))
    except PermissionError as error:
        path = str(error.filename)
        found.append(CheckResult(check, "problem", "doctor.FILE_NOT_OURS", {"path": path}, path))
    return found or [CheckResult(check, "fine")]
