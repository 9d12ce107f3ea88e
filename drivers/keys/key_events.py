"""What a keypad or pedal says, whatever it is connected by."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key went down; `word` is what the table's configuration calls it (`hit`, `stand`, ...)."""

    word: str


@dataclass(frozen=True, slots=True)
class KeysLost:
    """The kernel dropped presses because nobody read them in time."""


KeyEvent = KeyPressed | KeysLost
