"""`stand17 verify FILE.mcap --key`: the entries of a dispute file that a table's key has signed."""

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from controller.cli.json_words import print_object
from controller.cli.output import echo
from controller.domain import ConfigError
from controller.i18n import text

if TYPE_CHECKING:
    from controller.replay.rounds.dispute import CheckedDispute


def verify_dispute(file: Path, key: str, *, as_json: bool) -> NoReturn:
    """Check and print; exit status 0, or 1 where the key does not vouch for all of it.

    Raises `ConfigError` NOT_A_DISPUTE and DISPUTE_KEY, `RecordingError`.
    """
    # Imports the rounds' modules, which the check of a journal does not need.
    from controller.replay.rounds.dispute import check_dispute

    if not key:
        raise ConfigError("DISPUTE_KEY")
    checked = check_dispute(file, key)
    _print_json(file, checked) if as_json else _print_words(file, checked)
    raise typer.Exit(0 if checked.fault is None else 1)


def _print_json(file: Path, checked: "CheckedDispute") -> None:
    fault = checked.fault and checked.fault._asdict()
    rulings = [one.model_dump() for one in checked.rulings]
    missing = checked.unrecorded and checked.unrecorded._asdict()
    found = checked._asdict() | {"rulings": rulings, "fault": fault, "unrecorded": missing}
    print_object({"type": "verify_dispute", "file": str(file), **found, "ok": fault is None})


def _print_words(file: Path, checked: "CheckedDispute") -> None:
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
