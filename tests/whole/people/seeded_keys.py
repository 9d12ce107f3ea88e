"""The keys that people press at a seeded table: now and then twice, as from a screen without an answer."""

from random import Random
from typing import Final

from controller.runtime.api import Accepted, Action, Command, CommandAnswer, Resume, Role
from tests.whole.broken import require
from tests.whole.seeded_table import SeededTable

TWICE: Final = 0.04
"""Share of the keys that are pressed twice."""


class SeededKeys:
    """All keys of one table; they outlive the program."""

    def __init__(self, table: SeededTable, chance: Random) -> None:
        """Nothing was pressed yet."""
        self._table, self._chance = table, chance
        self._presses = 0

    def press(self, action: Action, role: Role) -> bool:
        """Press a key, now and then twice: the dealer what he may, the pit with a second person the rest."""
        roles: tuple[Role, ...] = ("dealer", "pit") if role == "system" else (role,)
        for one in roles:
            command = self.command(action, one)
            answer = self._table.ask(command)
            if self._chance.random() < TWICE:
                self._again(command, answer)
            if isinstance(answer, Accepted):
                if isinstance(action, Resume):
                    # As the live table does once a hold is lifted: a device that was given up is tried again.
                    self._table.devices.acknowledge()
                return True
        return False

    def _again(self, command: Command, answer: CommandAnswer) -> None:
        """The same command once more, as from a screen that has no answer."""
        before = self._table.ledger
        again = self._table.ask(command)
        self._table.figures["twice"] += 1
        if isinstance(answer, Accepted):
            # What followed from it in the same commit counts in the first answer alone.
            same = isinstance(again, Accepted) and again.seq <= answer.seq
            require(same, "DONE_TWICE", f"{answer}, then {again}: {command.action}")
            require(self._table.ledger == before, "DONE_TWICE", f"{command.action}")

    def command(self, action: Action, role: Role) -> Command:
        """A command of somebody in this role, the pit's with a second signature."""
        person, second = ("p7", "P8") if role == "pit" else ("d1", "")
        return Command(self.next_name(), person, role, None, action, second, meaning=f"{action}")

    def next_name(self) -> str:
        """A name that no command had."""
        self._presses += 1
        return f"c{self._presses}"
