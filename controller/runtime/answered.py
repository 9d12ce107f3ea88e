"""The accepted commands of a day: looked up by id in every state of the table, and shared by them."""

from typing import Final, NamedTuple

CHUNK: Final = 256
"""Commands in one dict. Each state copies the newest few and shares the rest, so that a day of 50,000 stays
cheap: two hundred look-ups, and no copy longer than this."""


class GivenAnswer(NamedTuple):
    """The last entry of a command, and the hash of what it asked; "" in journals that do not tell it."""

    seq: int
    meaning: str

    def differs_from(self, meaning: str) -> bool:
        """Whether this was another act; what is not known does not differ."""
        return bool(self.meaning) and bool(meaning) and self.meaning != meaning


class AnsweredCommands(NamedTuple):
    """Every accepted command of a journal; a value."""

    newest: tuple[tuple[str, GivenAnswer], ...] = ()
    older: tuple[dict[str, GivenAnswer], ...] = ()

    def find(self, command_id: str) -> GivenAnswer | None:
        """Find how a command was answered; None where it was never accepted."""
        for known, answer in reversed(self.newest):
            if known == command_id:
                return answer
        return next((chunk[command_id] for chunk in reversed(self.older) if command_id in chunk), None)

    def with_answer(self, command_id: str, seq: int, meaning: str) -> "AnsweredCommands":
        """Add an accepted command; one that made several entries is answered by the last."""
        newest = (*self.newest, (command_id, GivenAnswer(seq, meaning)))
        if len(newest) < CHUNK:
            return self._replace(newest=newest)
        return AnsweredCommands((), (*self.older, dict(newest)))


NO_ANSWERS: Final = AnsweredCommands()
