"""Opens a reader for the deck of a profile."""

from pathlib import Path

from controller.domain import ConfigError
from vision.enrolment.profile_file import DeckProfile, load_profile
from vision.reader import CardReader


def open_with_deck(
    path: Path, models_dir: Path | None = None, threads: int = 2
) -> tuple[CardReader, DeckProfile]:
    """A reader that names cards by the profile in a file, and that profile.

    Raises ConfigError DECK_MISSING, DECK_CHANGED, DECK_OTHER_MODEL (made with other networks: its features
    mean something else), and what `CardReader.open` raises.
    """
    profile = load_profile(path)
    reader = CardReader.open(models_dir, threads, profile.deck)
    if profile.network != reader.networks.indices.sha256:
        raise ConfigError("DECK_OTHER_MODEL", path=str(path))
    return reader, profile
