"""The pit of a seeded table whose round has gone wrong: rulings hold by hold, in the end the void round."""

from random import Random
from typing import Final

from controller.acts.catalogue import CardSeen, End, HoldsLifted, Paid, Strike, Void
from controller.domain import RANKS
from controller.policy.holds import ASKED
from controller.runtime.api import Action, HoldView, Observe, Resume, TableSnapshot
from controller.simulation.felt import World
from controller.simulation.moves import guest_decision
from tests.whole.people.seeded_keys import SeededKeys
from tests.whole.seeded_table import SeededTable

VOID_EVERY: Final = 8
"""Once its patience is at an end, every eighth step the pit voids the whole round, where that is allowed."""


class SeededPit:
    """Two of the pit at one table. They outlive the program; `sit_down` whenever it has come up."""

    def __init__(self, table: SeededTable, keys: SeededKeys, chance: Random) -> None:
        """Nobody sits yet."""
        self._table, self._keys, self._chance = table, keys, chance

    def sit_down(self, world: World) -> None:
        """Look at this felt from now on."""
        self._world = world

    def rule(self, snapshot: TableSnapshot, steps: int) -> None:
        """The round has gone wrong for too long: the pit rules on one hold after the other, as the house may.

        What is found so is no longer what was meant; in the end two of the pit void the whole round.
        """
        ruled = steps % VOID_EVERY != 0 and any(map(self._ruled, snapshot.holds))
        if not ruled:
            self.give_up(snapshot)

    def _ruled(self, hold: HoldView) -> bool:
        """Whether the pit found a way out: the answer to a question, or a ruling that is offered."""
        if hold.code == ASKED and hold.release == "dealer":
            now = self._table.snapshot
            return self._keys.press(Observe(guest_decision(now.state, now.acts)), "dealer")
        for way in self._chance.sample(hold.ways, len(hold.ways)):
            for action in self._ways(hold, way):
                if self._keys.press(action, "pit"):
                    self._table.figures[f"ruled {way}"] += 1
                    return True
        return False

    def _ways(self, hold: HoldView, way: str) -> tuple[Action, ...]:
        """The acts of one way out."""
        card = hold.card or self._table.ledger.state.cards_seen
        match way:
            case "strike" | "burn":
                return (Observe(Strike(card, None, "p7", "ruled", burn=way == "burn", second="pit:P8")),)
            case "void_box" if hold.box > 0:
                return (Observe(Void(hold.box, "p7", "ruled", second="pit:P8")),)
            case "keep":
                return Resume(), Observe(HoldsLifted("p7", "seen", (hold.code,)))
        return ()

    def give_up(self, snapshot: TableSnapshot) -> None:
        """Two of the pit void the round, and the table goes on.

        Not where the house asks for something else first: the payout as it should have been, or the card that
        the dealer owes, from another pack where the shoe is out of reach.
        """
        if self._world.unplugged:
            self._world.plug_cable()
            self._table.receive()
        for params in (dict(hold.params) for hold in snapshot.holds if hold.code == "WRONG_PAYOUT"):
            box, seat, due = (int(params[name]) for name in ("box", "seat", "expected"))
            self._keys.press(Observe(Paid(box, seat, due)), "pit")
        if any("draw" in hold.ways and "void" not in hold.ways for hold in snapshot.holds):
            self._keys.press(Observe(CardSeen(self._chance.choice(RANKS), "s", by="hand")), "pit")
        if snapshot.holds and self._keys.press(Resume(), "pit"):
            return
        # One at a time, as at the page: a hold that may be kept stands in the way of one that may not.
        kept = tuple(hold.code for hold in snapshot.holds if "keep" in hold.ways)
        if kept:
            self._keys.press(Observe(HoldsLifted("p7", "seen", kept)), "pit")
        self._keys.press(Observe(Void(None, "p7", "gone wrong", second="pit:P8")), "pit")
        self._keys.press(Observe(End()), "dealer")
