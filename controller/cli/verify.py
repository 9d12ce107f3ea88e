"""The command verify: a journal, a dispute file, a shift's report, or the program's own files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, NoReturn

import typer
from pydantic import ValidationError

from controller.cli.application import AsJson
from controller.cli.output import (
    counted,
    echo,
    echo_lines,
    error_sentence,
    print_error,
    print_object,
)
from controller.domain import ConfigError, JournalError
from controller.i18n import text

if TYPE_CHECKING:
    from controller.journal.checking import SignedReport, VerifyReport
    from controller.replay.round_export import CheckedDispute
    from controller.replay.shift_report import ReportWithHeads
    from controller.runtime.restore import ResultVerifier

EVERY = 500
"""Entries between two signs of progress."""


def verify_journal(
    file: Annotated[Path | None, typer.Argument(help="The journal file.")] = None,
    *,
    as_json: AsJson = False,
    key: Annotated[str, typer.Option(help="The table's public key: 64 digits, or a file of them.")] = "",
    kept: Annotated[Path | None, typer.Option(help="Signed heads that were kept elsewhere.")] = None,
    witness: Annotated[str, typer.Option(help="The public key of a witness of these heads.")] = "",
    report: Annotated[Path | None, typer.Option(help="A shift's report (JSON) of this journal.")] = None,
    software: Annotated[bool, typer.Option("--software", help="Check the program, not a journal.")] = False,
    installed: Annotated[Path | None, typer.Option(help="With --software: another installation.")] = None,
) -> None:
    """Check a journal: the chain, the end, every settlement derived again; with --key the table's signatures.

    A dispute file of `stand17 export --dispute` too: with --key, whether the table signed its entries.

    With --witness also whether another house has signed for the heads of --kept.

    With --report also whether a shift's report agrees with this journal.

    Exit status 0 when all of it fits, 1 when an entry or a signature does not, 2 when the file is no readable
    journal. With --software the program's own files instead, --key then being the key of its release: 0 when
    they are the released ones, 1 when they differ, 2 when they were never released.
    """
    from controller.journal.head_file import public_key
    from controller.replay.table_file import kind_of
    from controller.runtime.restore import ResultVerifier, set_aside_in

    if software:
        _verify_software(key, installed, as_json=as_json)
    if file is None:
        raise ConfigError("NOTHING_TO_VERIFY")
    try:
        public = public_key(key) if key else ""
        if kind_of(str(file)) == "recording":
            verify_dispute(file, public, as_json=as_json)
        verifier = ResultVerifier(set_aside_in(file))
        walked = _walked(file, verifier, quiet=as_json)
        signed = _signed(file, public, kept, witness)
        checked = check_report(file, report, public) if report is not None else None
    except JournalError as error:
        _print_error(error, as_json)
        raise typer.Exit(2) from error
    ok = walked.ok and all(one is None or one.fault is None for one in (signed, checked))
    if as_json:
        print_object({**_as_json(walked, verifier, signed, checked), "ok": ok})
    else:
        _print_report(walked, verifier)
        _print_signed(signed)
        _print_checked(checked)
        echo_lines([text("verify.ok")] if ok else [])
    raise typer.Exit(0 if ok else 1)


def _walked(file: Path, verifier: "ResultVerifier", *, quiet: bool) -> "VerifyReport":
    from controller.journal.checking import verify

    with counted(text("verify.walking", {"file": file.name}), every=EVERY, quiet=quiet) as advance:
        return verify(file, verifier, advance)


def _signed(file: Path, public: str, kept: Path | None, witness: str) -> "SignedReport | None":
    """Check the table's signatures; None without its key. Raises `ConfigError` WITNESS_NEEDS_KEY."""
    from controller.journal.checking import verify_signed
    from controller.journal.head_file import public_key

    if public:
        return verify_signed(file, public, kept, witness=public_key(witness) if witness else "")
    if witness:
        raise ConfigError("WITNESS_NEEDS_KEY")
    return None


ReportFault = Literal["FORGED", "UNSIGNED", "OTHER_JOURNAL", "DIFFERS"]


class CheckedReport(NamedTuple):
    """The fault of a report, None without one; `fields` are those that differ from the journal.

    Without a fault, `version` is the program that has computed the differing `fields`, "" without any.
    """

    fault: ReportFault | None
    fields: tuple[str, ...] = ()
    version: str = ""


def _as_json(
    report: "VerifyReport",
    verifier: "ResultVerifier",
    signed: "SignedReport | None",
    checked: CheckedReport | None,
) -> dict[str, Any]:
    more: dict[str, Any] = {} if checked is None else {"report": checked._asdict()}
    if signed is not None:
        nested = {"fault": signed.fault, "taken_over": signed.taken_over}
        more["signed"] = signed._asdict() | {name: one and one._asdict() for name, one in nested.items()}
    return {
        "type": "verify",
        "file": report.path,
        "ok": report.ok,
        "entries": report.entries,
        "rounds": verifier.rounds,
        "settlements": verifier.settled,
        "head": {"seq": report.head.seq, "hash": None if _hides(verifier) else report.head.hash.hex()},
        "misfit": report.misfit and report.misfit._asdict(),
        "sound": report.sound,
        "vouched": report.vouched,
        "altered": report.altered,
        "set_aside": [one._asdict() for one in verifier.aside],
        **more,
    }


def _print_report(report: "VerifyReport", verifier: "ResultVerifier") -> None:
    counted: dict[str, str | int] = {
        "file": report.path,
        "entries": report.entries,
        "settlements": verifier.settled,
        "rounds": verifier.rounds,
    }
    echo(text("verify.counted", counted))
    hidden = "verify.head_hidden" if _hides(verifier) else "verify.head"
    echo(text(hidden, {"seq": report.head.seq, "hash": report.head.hash.hex()}))
    if report.misfit is not None:
        reason = text(f"misfit.{report.misfit.code}")
        echo(text("verify.misfit", {"seq": report.misfit.seq, "reason": reason}))
    for one in verifier.aside:
        echo(text("verify.set_aside", {"seq": one.first, "last": one.last, "by": one.by}))
    if report.altered:
        echo(text("verify.altered", {"name": report.altered}))
    if not report.sound:
        echo(text("verify.unsound"))
    if not report.vouched:
        echo(text("verify.unvouched"))


def _print_checked(checked: CheckedReport | None) -> None:
    if checked is not None:
        code = checked.fault or ("OTHERWISE" if checked.version else "FITS")
        holes = {"fields": ", ".join(checked.fields), "version": checked.version}
        echo(text(f"verify.report_{code}", holes))


def _print_signed(report: "SignedReport | None") -> None:
    if report is None:
        return
    counted: dict[str, str | int] = {"heads": report.heads, "kept": report.kept, "seq": report.seq}
    echo(text("verify.signed", counted))
    if report.witnessed:
        echo(text("verify.witnessed", counted | {"seq": report.witnessed}))
    if report.code:
        echo(text("verify.sealed", {"code": report.code}))
    if report.taken_over is not None and report.taken_over.key != report.key:
        echo(text("verify.taken_over", report.taken_over._asdict()))
    if report.fault is not None:
        where = {"line": report.fault.line, "seq": report.fault.seq}
        echo(text(f"signed.{report.fault.code}", where))


def _print_error(error: JournalError, as_json: bool) -> None:
    if as_json:
        message = error_sentence(error)
        print_object({"type": "verify", "ok": False, "code": error.code, "message": message})
    else:
        print_error(error)


def _verify_software(key: str, installed: Path | None, *, as_json: bool) -> NoReturn:
    """Check, tell, and end with the exit status.

    `key` is the public key of the release, "" where only the files are to be compared. `installed` is the
    folder that holds the packages of another installation: a program that was tampered with can say anything
    of itself.
    """
    from controller.journal.head_file import public_key
    from controller.software import check_software, root_of_this_program

    try:
        public = public_key(key) if key else ""
    except JournalError as error:
        print_error(error)
        raise typer.Exit(2) from error
    report = check_software(installed or root_of_this_program(), public, caches=True)
    if as_json:
        fields = report._asdict()
        fields |= {
            "sha256": fields.pop("digest"),
            "differences": [one._asdict() for one in report.differences],
        }
        print_object({"type": "software", "ok": report.ok, **fields})
    else:
        known = {"version": report.version, "commit": report.commit or "-", "sha256": report.digest}
        echo(text("software.installed", known))
        echo_lines(text(f"software.{one.kind}", {"path": one.path}) for one in report.differences)
        echo(text(f"software.{report.state}"))
    if report.state == "unreleased":
        raise typer.Exit(2)
    raise typer.Exit(1 if report.state == "forged" or report.differences else 0)


def _hides(verifier: "ResultVerifier") -> bool:
    """Whether the hash of the journal's end would reveal a card."""
    from controller.replay.journal_check import hides

    return hides(verifier.ledger)


def verify_dispute(file: Path, key: str, *, as_json: bool) -> NoReturn:
    """Check and print; exit status 0, or 1 where the key does not vouch for all of it.

    Raises `ConfigError` NOT_A_DISPUTE and DISPUTE_KEY, `RecordingError`.
    """
    # Imports the rounds' modules, which the check of a journal does not need.
    from controller.replay.round_export import check_dispute

    if not key:
        raise ConfigError("DISPUTE_KEY")
    checked = check_dispute(file, key)
    if as_json:
        fields = checked._asdict() | {
            "rulings": [one.model_dump() for one in checked.rulings],
            "fault": checked.fault and checked.fault._asdict(),
            "unrecorded": checked.unrecorded and checked.unrecorded._asdict(),
        }
        print_object({"type": "verify_dispute", "file": str(file), **fields, "ok": checked.fault is None})
    else:
        _print_dispute(file, checked)
    raise typer.Exit(0 if checked.fault is None else 1)


def _print_dispute(file: Path, checked: "CheckedDispute") -> None:
    counted: dict[str, str | int] = {"file": str(file), "table": checked.table, "round": checked.round}
    echo(text("verify.dispute", {**counted, "entries": checked.entries, "pictures": checked.pictures}))
    if checked.unrecorded is not None:
        reason = text(f"error.{checked.unrecorded.code}", checked.unrecorded.params)
        echo(text("export.unrecorded", {"reason": reason}))
    for one in checked.rulings:
        echo(text("verify.dispute_ruling", one.model_dump()))
    if checked.fault is not None:
        where = {"line": checked.fault.line, "seq": checked.fault.seq}
        echo(text(f"signed.{checked.fault.code}", where))
    else:
        echo(text("verify.dispute_ok"))
    echo(text("verify.dispute_unsigned"))


_BEFORE_HISTORY: Final = ("0.1.", "0.2.", "0.3.")
"""Versions whose reports played the journal through the engine instead of selecting from its history."""

_COMPUTED_OTHERWISE: Final = frozenset(
    (
        *("people", "alerts", "holds", "rulings", "dealers", "phases", "differences", "difference"),
        *("fills", "credits", "drop", "counted", "first_line", "last_line", "from_t", "to_t"),
    )
)
"""Fields that those versions computed otherwise. The win and what it is made of are not among them."""

BYTES_MAX: Final = 20_000_000
"""No report of a shift is longer."""


def check_report(journal: Path, file: Path, public: str) -> CheckedReport:
    """Hold a report against its journal; `public`: the key that has to have signed it, "" for any or none.

    Raises `ConfigError` REPORT_UNREADABLE.
    """
    from controller.replay.shift_file import open_shift
    from controller.replay.shift_report import report_of

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
    from controller.replay.shift_report import ReportWithHeads

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
