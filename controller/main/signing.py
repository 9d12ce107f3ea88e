"""The table's key and its signed heads, put together from the configuration."""

import secrets
from pathlib import Path

from controller.config import TableConfig
from controller.journal.head_file import CREDENTIAL, TableKey
from controller.journal.heads import HeadSigner, RandomBytes, SignedHead
from controller.journal.keeping import FolderPlace, HeadKeeping, HeadPlace, HttpPlace, kept_file
from controller.journal.store import Journal, require_place
from controller.ports import MACHINE_DISK, Clock, SideDisk


def key_file(config: TableConfig) -> Path:
    """Return the file of the table's key, unless systemd provides one."""
    return config.signing.key or config.journal.file.resolve().with_name(CREDENTIAL)


def table_key(config: TableConfig, chance: RandomBytes = secrets.token_bytes) -> TableKey:
    """Read the key of a table, or make one from a random source.

    Raises `JournalError` KEY_UNREADABLE, KEY_OPEN_TO_OTHERS, or the error of the journal's folder.
    """
    # No key is left where there will be no journal.
    require_place(config.journal.file)
    return TableKey.load_or_make(key_file(config), chance=chance)


def public_key_of(config: TableConfig) -> str:
    """The public half of a table's key, which has to be there. Raises `JournalError` KEY_UNREADABLE."""
    return TableKey.load(key_file(config)).public


def head_keeping(
    config: TableConfig,
    journal: Journal,
    key: TableKey,
    clock: Clock,
    chance: RandomBytes = secrets.token_bytes,
    *,
    before: SignedHead | None = None,
) -> HeadKeeping:
    """Return the signer of this journal's heads, before its first signature.

    `before` is the last head of the table's preceding journal.
    """
    path, since = config.journal.file.resolve(), journal.doubted_from
    signer = HeadSigner(path, config.table.name, key, chance, since=since, before=before, disk=journal.disk)
    return HeadKeeping(signer, journal, clock)


def kept_files(config: TableConfig) -> tuple[Path, ...]:
    """Return the readable files of signed heads; a missing one is skipped."""
    folder = config.signing.keep_folder
    return () if folder is None else (kept_file(folder, config.journal.file.resolve()),)


def places(config: TableConfig, public: str, disk: SideDisk = MACHINE_DISK) -> tuple[HeadPlace, ...]:
    """Return the further places of signed heads."""
    section, found = config.signing, list[HeadPlace]()
    if section.keep_folder is not None:
        found.append(FolderPlace(section.keep_folder, config.journal.file.resolve(), public, disk))
    if section.keep_url is not None:
        found.append(HttpPlace(section.keep_url, section.witness_key, public))
    return tuple(found)
