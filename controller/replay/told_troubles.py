"""What a table held or warned for by itself, its cameras, its disk, its clock: no line leads to it."""

from typing import Final, Literal, NamedTuple

from controller.journal.entry import Entry
from controller.journal.upcast import Body
from controller.runtime.redaction import TELLTALE, TOO_MANY

NAMING: Final = TELLTALE | {"seen", "known", "card", "was"}
"""Parameters that may name a card that lies face down."""


class ToldTrouble(NamedTuple):
    """A hold or a warning of the table itself, after the line of this number; `params` as in its text."""

    line: int
    kind: Literal["hold", "alert"]
    code: str
    params: tuple[tuple[str, int | str], ...]

    @property
    def names_cards(self) -> bool:
        """Whether it could tell of a card that was never turned."""
        return self.code in TOO_MANY or not NAMING.isdisjoint(name for name, _ in self.params)


class TroubleLog:
    """Gathers the troubles of journal entries given in order."""

    def __init__(self) -> None:
        """Begin without any."""
        self.told: Final[list[ToldTrouble]] = []

    def take(self, entry: Entry, body: Body, line: int) -> None:
        """Add what this entry tells after the line `line`; a hold takes the place of its own warning."""
        # What is held about something is a fault of the round: the lines lead to it.
        if entry.kind not in {"trouble", "held"} or "about" in body:
            return
        kind: Literal["hold", "alert"] = "hold" if entry.kind == "held" else "alert"
        new = ToldTrouble(line, kind, body["code"], tuple(body["params"].items()))
        if self.told and self.told[-1] == new._replace(kind="alert"):
            self.told.pop()
        self.told.append(new)
