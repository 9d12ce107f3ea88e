"""The folder of a kept demo: which seed it was begun with, and in which round its shoe was put in place."""

import json
from pathlib import Path
from typing import Final

from controller.domain import ConfigError
from controller.journal.entry import Entry
from controller.journal.store import JournalReader

SEED: Final = 17

STACKED: Final = "stacked"
"""Stands behind the seed where the shoes were stacked to show faults."""


def open_folder(folder: Path, seed: int | None, *, faults: bool = False) -> int:
    """Make the folder of a kept demo and find its seed.

    Raises `ConfigError` DEMO_FOLDER where it cannot be made or written, and as `kept_seed` does.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return kept_seed(folder, seed, faults=faults)
    except OSError as error:
        raise ConfigError("DEMO_FOLDER", path=str(folder), reason=error.strerror or str(error)) from error


def kept_seed(folder: Path, given: int | None, *, faults: bool = False) -> int:
    """Find the seed of a folder, or write the given one down.

    Raises `ConfigError` where its shoe would change its cards: DEMO_SEED when the folder was begun with
    another seed, DEMO_STACKED when it was begun without faults and now has some, or the other way round.
    """
    file = folder / "demo.seed"
    if not file.exists():
        seed = SEED if given is None else given
        # Whoever has the seed knows every card of the shoe.
        file.touch(mode=0o600)
        file.write_text(f"{seed} {STACKED}\n" if faults else f"{seed}\n", encoding="ascii")
        return seed
    first, *rest = file.read_text(encoding="ascii").split()
    kept = int(first)
    if given not in (None, kept):
        raise ConfigError("DEMO_SEED", path=str(folder), kept=kept, given=str(given))
    if faults != (STACKED in rest):
        raise ConfigError("DEMO_STACKED", path=str(folder))
    return kept


def round_of_shoe(journal: Path) -> int | None:
    """Find the round in which the present shoe was put in place; None for a new journal."""
    if not journal.exists():
        return None
    reader = JournalReader(journal)
    try:
        loaded = [
            entry.round_id or 1
            for entry in reader.read()
            if isinstance(entry, Entry) and entry.kind == "fact" and json.loads(entry.body)["obs"] == "shoe"
        ]
    finally:
        reader.close()
    return loaded[-1] if loaded else None
