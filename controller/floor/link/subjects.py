"""The names under which things go over the floor's network; a table is named by its public key."""

from typing import Final

STATES: Final = "stand17.state.*"
"""What each table shows: published, and kept by nobody."""

ENTRIES: Final = "stand17.entries.*"
"""Lines of journals on their way to the archive; the stream `STREAM` keeps them until they are there."""

STREAM: Final = "stand17_entries"

JOURNAL: Final = "Stand17-Journal"
"""Header with the hash of the journal's first entry, which is its id."""

NAME: Final = "Stand17-Name"
"""Header with the name of the journal's file."""

ASKED: Final = "Stand17-Asked"
"""Header that names a question: what was asked once is answered for that once."""


def state_of(key: str) -> str:
    """Return the subject of a table's state."""
    return f"stand17.state.{key}"


def entries_of(key: str) -> str:
    """Return the subject of a table's lines."""
    return f"stand17.entries.{key}"


def receipts_of(key: str) -> str:
    """Return the subject of the archive's receipts to a table."""
    return f"stand17.receipt.{key}"


def commands_of(key: str) -> str:
    """Return the subject of commands to a table."""
    return f"stand17.command.{key}"


def views_of(key: str) -> str:
    """Return the subject of requests for a table's view."""
    return f"stand17.view.{key}"


def key_of(subject: str) -> str:
    """The table that a subject names last."""
    return subject.rpartition(".")[2]
