"""`stand17 verify JOURNAL --report FILE`: check a shift's report against its journal and its signature."""

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pydantic import ValidationError

from controller.domain import ConfigError

if TYPE_CHECKING:
    from controller.replay.report.model import ReportWithHeads


_BEFORE_HISTORY: Final = ("0.1.", "0.2.", "0.3.")
"""Versions whose reports played the journal through the engine instead of selecting from its history."""
_COMPUTED_OTHERWISE: Final = frozenset(
    (
        *("people", "alerts", "holds", "rulings", "dealers", "phases", "differences", "difference"),
        *("fills", "credits", "drop", "counted", "first_line", "last_line", "from_t", "to_t"),
    )
)
"""Fields that those versions computed otherwise. The win and what it is made of are not among them."""

ReportFault = Literal["FORGED", "UNSIGNED", "OTHER_JOURNAL", "DIFFERS"]

BYTES_MAX: Final = 20_000_000
"""No report of a shift is longer."""


class CheckedReport(NamedTuple):
    """The fault of a report, None without one; `fields` are those that differ from the journal.

    Without a fault, `version` is the program that has computed the differing `fields`, "" without any.
    """

    fault: ReportFault | None
    fields: tuple[str, ...] = ()
    version: str = ""


def check_report(journal: Path, file: Path, public: str) -> CheckedReport:
    """Hold a report against its journal; `public`: the key that has to have signed it, "" for any or none.

    Raises `ConfigError` REPORT_UNREADABLE.
    """
    from controller.replay.report.shift_report import report_of
    from controller.replay.rounds.shift_file import open_shift

    signed = _read(file)
    if public and not signed.signature:
        return CheckedReport("UNSIGNED")
    if signed.signature and not _is_genuine(signed, public):
        return CheckedReport("FORGED")
    if not _has_head(journal, signed):
        return CheckedReport("OTHER_JOURNAL")
    again = report_of(open_shift(journal, last_seq=signed.head.seq)).model_dump()
    differing = tuple([name for name, value in signed.report.model_dump().items() if again[name] != value])
    if not differing:
        return CheckedReport(None)
    version = signed.software.partition(" ")[0]
    earlier = (
        version.startswith(_BEFORE_HISTORY) and signed.signature and set(differing) <= _COMPUTED_OTHERWISE
    )
    return CheckedReport(None, differing, version) if earlier else CheckedReport("DIFFERS", differing)


def _read(file: Path) -> "ReportWithHeads":
    from controller.replay.report.model import ReportWithHeads

    try:
        with file.open("rb") as opened:
            return ReportWithHeads.model_validate_json(opened.read(BYTES_MAX))
    except OSError as error:
        raise ConfigError("REPORT_UNREADABLE", path=str(file), reason=error.strerror or "") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError("REPORT_UNREADABLE", path=str(file), reason=str(first["msg"])) from error


def _is_genuine(signed: "ReportWithHeads", public: str) -> bool:
    from controller.journal.head_file import is_signed_by

    try:
        signature = bytes.fromhex(signed.signature)
    except ValueError:
        return False
    return signed.key == (public or signed.key) and is_signed_by(signed.key, signed.message(), signature)


def _has_head(journal: Path, signed: "ReportWithHeads") -> bool:
    """Whether the journal contains the report's last entry; its hash is "" when it was kept secret."""
    from controller.journal.store import JournalReader

    reader = JournalReader(journal)
    try:
        found = reader.hash_at(signed.head.seq).hex()
    finally:
        reader.close()
    return bool(found) and signed.head.hash in ("", found)
