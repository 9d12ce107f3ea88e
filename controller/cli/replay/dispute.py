"""The dispute folder of a table: a round's file is laid into it, and goes when it is over a year old."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from controller.config import load_config
from controller.devices.kept import journal_id, recordings_folder
from controller.domain import ConfigError
from controller.journal.heads import heads_beside
from controller.outputs import FRESH, not_written
from controller.replay.files.entry_sources import journal_entries
from controller.replay.files.round_export import ExportedRound, export_round
from controller.replay.rounds.dispute import Unrecorded, disputed_round

_KEEP_DAYS: Final = 366
"""The year that NJ 13:69E-1.31(b) asks for, also where it is a leap year."""

_DAY_S: Final = 24 * 60 * 60


def file_dispute(number: int, config: Path) -> tuple[ExportedRound, Path, Unrecorded | None]:
    """Write a round's dispute file; its name says table, day, round and the last entry in it.

    So a later ruling makes a second file, and none is ever written again. The last one tells why bytes or
    pictures are missing. Raises `TableError`, `ConfigError`
    ROUND_FACE_DOWN while a card of the round is a secret.
    """
    settings = load_config(config)
    journal, recordings = settings.journal.file, recordings_folder(settings)
    folder = settings.journal.dispute_folder or settings.journal.undated.with_suffix(".disputes")
    if folder.resolve().is_relative_to(recordings.resolve()):
        raise ConfigError("DISPUTES_IN_RING", path=str(folder))
    entries = journal_entries(journal)
    disputed = disputed_round(entries, number)
    day = datetime.fromtimestamp(disputed.found.entries[0].at_utc_us / 1e6, UTC).date()
    name = f"{settings.table.name}-{day}-round-{number}-entry-{disputed.seqs[-1]}.mcap"
    out = folder / name.replace(os.sep, "_")
    if out.exists():
        raise ConfigError("DISPUTE_FILED", path=str(out))
    FRESH.require_free(out)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget_old(folder, f"{settings.table.name}-".replace(os.sep, "_"), entries[-1].at_utc_us // 10**6)
    except OSError as error:
        raise not_written(folder, error) from error
    filed = disputed.clip(recordings, journal_id(entries[0]), tuple(heads_beside(journal)))
    cut = export_round([(disputed.found, filed.clip)], out)
    # Its age counts from here on, not from the round.
    os.utime(out)
    return cut, out, filed.unrecorded


def _forget_old(folder: Path, prefix: str, now_utc_s: int) -> None:
    """Remove this table's files of more than a year.

    Their age is measured by the journal's last entry, whose time the table has checked: a wrong clock of the
    machine removes nothing.
    """
    for path in folder.glob("*-round-*-entry-*.mcap"):
        if path.name.startswith(prefix) and path.lstat().st_mtime < now_utc_s - _KEEP_DAYS * _DAY_S:
            path.unlink()
