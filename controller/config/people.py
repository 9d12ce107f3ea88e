"""The section of the people: where they are kept, and how long one who does nothing stays signed in."""

from pathlib import Path

from pydantic import Field

from controller.config.section import Section


class PeopleSection(Section):
    """Who may sign in is in `file`, people.json in the journal's folder when left out.

    `card_prefix` is the first character that a staff card's reader types, such as ";" for a magnetic stripe;
    without it the page takes no cards.
    """

    file: Path | None = None
    dealer_idle_minutes: int = Field(default=60, ge=1, le=720)
    """A dealer who touches nothing for so long is signed out."""
    idle_seconds: int = Field(default=120, ge=20, le=3600)
    """So is everybody else."""
    longest_hours: int = Field(default=12, ge=1, le=24)
    """No session is longer, whatever is done in it."""
    card_prefix: str = Field(default="", pattern=r"^[!-/:-@\[-`{-~]?$")
