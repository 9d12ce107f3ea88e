"""The same table with another card face down: until it is turned, no byte that leaves may differ.

What leaves is what the screens draw, and what the audit trail says.
"""

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from controller.acts.catalogue import CardSeen
from controller.domain import RANKS, Rank
from controller.journal.store import Journal
from controller.ports import Clock, Report
from controller.runtime.api import CommandAnswer
from controller.runtime.door import TableDoor
from controller.runtime.inbox import Item, SubmittedCommand
from controller.runtime.ledger import Ledger
from controller.screens.felt import ScreenSettings, ScreenState
from controller.screens.views import ViewBuilder
from tests.whole.broken import Broken, require

LINES: Final = 40
"""Lines of the audit trail that are looked at: those of the last round or two."""

VIEWS: Final = ViewBuilder(ScreenSettings())


def view_of(door: TableDoor) -> str:
    """What the screens draw, as they are sent it; ages of devices left out."""
    snapshot = door.hub.latest()._replace(devices=())
    return VIEWS.build(snapshot, ScreenState(lambda: 0.0)).model_dump_json()


def screen_text_of(door: TableDoor) -> str:
    """The view and the last lines of the audit trail, as text."""
    secrets = door.secrets()
    first = max(1, door.ledger.seq - LINES)
    lines = [line._asdict() for line in door.audit(first, LINES + 1, secrets)]
    return view_of(door) + json.dumps(lines)


TENS: Final[tuple[Rank, ...]] = ("10", "J", "Q", "K")


def other_rank(rank: Rank, chance: Random) -> Rank:
    """Another rank that is a blackjack beside the same up cards: what a check says differs in nothing."""
    if rank == "A":
        return rank
    alike = [one for one in RANKS if one not in ("A", rank) and (one in TENS) == (rank in TENS)]
    # Written in another length, where there is one: that, too, may tell nothing.
    return chance.choice([one for one in alike if len(one) != len(rank)] or alike)


def _around(text: str, at: int) -> str:
    return repr(text[max(0, at - 80) : at + 80])


class Twin:
    """Goes along with a table from just before its card is dealt face down."""

    def __init__(self, journal: Path, ledger: Ledger, clock: Clock, chance: Random) -> None:
        """Begin on a copy of the journal as it is on the disk now."""
        self._folder = tempfile.TemporaryDirectory(prefix="stand17-twin-")
        copy = Path(self._folder.name) / journal.name
        for ending in ("", "-wal"):
            if Path(f"{journal}{ending}").exists():
                shutil.copyfile(f"{journal}{ending}", f"{copy}{ending}")
        self._journal = Journal.open(copy, clock)
        self._door = TableDoor(self._journal, ledger, clock, mode="live")
        self._round, self._chance, self._swapped = ledger.state.book.number, chance, False
        self._began = ledger.seq

    def follow(self, items: Sequence[Item], answers: Sequence[CommandAnswer], door: TableDoor) -> bool:
        """Take the same items; whether it is to be followed further. Raises `Broken` HOLE_CARD_LEAKED."""
        own: list[CommandAnswer] = []
        taken = [self._swapped_item(item, own) for item in items]
        more = self._door.take(*taken)
        while more:
            more = self._door.take(*more)
        state = door.ledger.state
        if state.dealer.revealed or state.book.number != self._round:
            return False
        require(own == [*answers], "HOLE_CARD_LEAKED", f"answers {own} and {[*answers]}")
        if door.ledger.seq == self._began == self._door.ledger.seq:
            # Nothing was shown anew by either; what the twin shows is as old as it is itself.
            return True
        one, two = screen_text_of(door), screen_text_of(self._door)
        if one != two:
            at = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), len(one))
            raise Broken("HOLE_CARD_LEAKED", f"{_around(one, at)} or {_around(two, at)}")
        return True

    def close(self) -> None:
        """Forget it."""
        self._journal.close()
        self._folder.cleanup()

    def _swapped_item(self, item: Item, own: list[CommandAnswer]) -> Item:
        if isinstance(item, SubmittedCommand):
            return SubmittedCommand(item.command, own.append)
        if not isinstance(item, Report) or self._swapped or not item.observations:
            return item
        seen = item.observations[0]
        if not isinstance(seen, CardSeen) or seen.rank is None:
            return item
        self._swapped = True
        other = seen._replace(rank=other_rank(seen.rank, self._chance))
        return item._replace(observations=(other, *item.observations[1:]))
