"""The people at a seeded table: what they do next, and when they wait for a camera."""

from collections.abc import Callable
from random import Random
from typing import Final

from controller.acts.catalogue import (
    CutCard,
    End,
    HoldsLifted,
)
from controller.policy.holds import NOT_DEALT
from controller.runtime.api import (
    Accepted,
    Action,
    Observe,
    Resume,
    TableSnapshot,
)
from controller.simulation.felt import World
from controller.simulation.moves import DrawCard, Handle, MoveCards, PressKeys, amounts, is_done
from controller.simulation.players import EFFECT_S, Players
from tests.whole.broken import require
from tests.whole.devices.seeded_inputs import key_of
from tests.whole.people.seeded_keys import SeededKeys
from tests.whole.people.seeded_pit import VOID_EVERY, SeededPit
from tests.whole.seeded_table import SeededTable

LOOKS, HANDS_OFF_S = 4, 2.0
"""Before anybody rules over a card that no camera has seen, hands are taken off it, and it is waited for."""
LOOK_S: Final = 0.75
"""Somebody at a table with a camera looks at the screen so long after what he did."""

TWINS: Final = 0.25
"""Share of the cards dealt face down that have a twin."""
HASTE: Final = 0.15
"""Share of the holds at which the dealer tries to go on, whoever has to lift them."""
BY_KEY: Final = 0.5
"""Share of the decisions that are entered at the keypad."""
LOST: Final = frozenset({"SHOE_GAP", "CARD_NOT_ARRIVED"})
"""Holds of a card that somebody would have to look for."""


class SeededPeople:
    """Dealer, guests and pit. They outlive the program; `sit_down` whenever it has come up."""

    def __init__(self, table: SeededTable, chance: Random, patience: int) -> None:
        """Nobody sits yet; `patience` in steps of one round."""
        self._table, self.chance, self._patience = table, chance, patience
        self.keys = SeededKeys(table, chance)
        self._pit = SeededPit(table, self.keys, chance)
        self.gone_wrong = 0
        """The round that is played with other cards, or entered otherwise, than was meant."""
        self._awaited: Callable[[TableSnapshot], bool] | None = None
        self._until_ns = 0
        self._looked = self._strays = 0

    def sit_down(self, world: World, players: Players) -> None:
        """Play at this felt from now on."""
        self._world, self._players = world, players
        self._pit.sit_down(world)

    @property
    def snapshot(self) -> TableSnapshot:
        """The table as it is shown."""
        return self._table.snapshot

    def happen(self, steps: int) -> None:
        """What people do next, in a round that has taken so many steps."""
        snapshot = self.snapshot
        if self._table.strays != self._strays:
            # A press that came late has said what nobody meant any more.
            self._strays, self.gone_wrong = self._table.strays, snapshot.state.book.number
        if self._waits(snapshot):
            return
        if steps > self._patience and (snapshot.holds or steps % VOID_EVERY == 0):
            self._rule(snapshot, steps)
        elif snapshot.holds and self.chance.random() < HASTE:
            self.keys.press(Resume(), "dealer")
        elif any(hold.code == "FROZEN" for hold in snapshot.holds):
            # As the key on the pit's page does: what else holds the table is ruled on by itself.
            self.keys.press(Observe(HoldsLifted("p7", "seen", ("FROZEN",))), "pit")
        else:
            self._act(snapshot, steps)

    def _act(self, snapshot: TableSnapshot, steps: int) -> None:
        table = self._table
        match self._players.next_act(snapshot, autoplay=True):
            case DrawCard() if snapshot.holds and self._world.camera_deals:
                self._look(steps)
            case DrawCard() as act:
                self._draw(act, snapshot)
            case PressKeys() as act:
                self._press_all(act, snapshot)
            case Handle() as act:
                self._players.handle(act)
                table.receive()
            case MoveCards() as act:
                self._move(act, snapshot)
            case None:
                table.pass_time(2.0)

    def _look(self, steps: int) -> None:
        """What is missed lies there in truth, and no camera has seen it: nobody draws another one."""
        self._looked += 1
        self._table.pass_time(HANDS_OFF_S)
        if self._looked % LOOKS == 0:
            self._rule(self.snapshot, steps)

    def _move(self, act: MoveCards, snapshot: TableSnapshot) -> None:
        if act.what == "clear":
            self._check_planned(snapshot)
        self._players.move(act, snapshot)
        self._wait_for(lambda now: is_done(act, snapshot.state, now.state))

    def _waits(self, snapshot: TableSnapshot) -> bool:
        """Whether what was done with hands is still to be seen: nobody does anything more before."""
        if self._awaited is None:
            return False
        late = self._table.clock.mono_ns() >= self._until_ns
        if late or snapshot.holds or self._awaited(snapshot):
            self._awaited = None
            return False
        return True

    def _wait_for(self, effect: Callable[[TableSnapshot], bool]) -> None:
        """Wait until the table has seen it, at a table that a camera watches."""
        if self._world.camera_deals:
            self._awaited = effect
            self._until_ns = self._table.clock.mono_ns() + round(EFFECT_S * 1e9)
            self._table.pass_time(LOOK_S)

    def _press_all(self, act: PressKeys, snapshot: TableSnapshot) -> None:
        if act.actions == (Observe(End()),):
            self._check_planned(snapshot)
        if Resume() in act.actions and any(hold.code in LOST for hold in snapshot.holds):
            # This pit goes on without looking for the card that the line has lost: from then on the round is
            # played with other cards than those that were meant.
            self.gone_wrong = snapshot.state.book.number
        self._lay(act)
        for action in act.actions:
            by_key = len(act.actions) == 1 and self._by_key(action)
            if by_key or self.keys.press(action, act.role):
                self._players.pressed(act, action)

    def _by_key(self, action: Action) -> bool:
        """Whether the dealer said it with a key of the keypad, and the table took it."""
        word = key_of(action.observation) if isinstance(action, Observe) else ""
        if self._table.devices.small is None or not word or self.chance.random() > BY_KEY:
            return False
        self._table.figures["keypad"] += 1
        said = [answer for _, answer in self._table.press(word) if isinstance(answer, Accepted)]
        return bool(said)

    def _lay(self, act: PressKeys) -> None:
        """Chips lie in the circles before their stakes are entered, and go before the table is cleared."""
        small = self._table.devices.small
        if small is None:
            return
        for action in act.actions:
            if isinstance(action, Observe):
                small.lay(action.observation)
        self._table.receive()

    def _draw(self, act: DrawCard, snapshot: TableSnapshot) -> None:
        if self._world.has_shoe and not self._world.ahead(1):
            # The line has lost the cut card: the dealer, who has it in his hand, enters it.
            self.keys.press(Observe(CutCard()), "dealer")
            self.gone_wrong = snapshot.state.book.number
            self._pit.give_up(snapshot)
            return
        if snapshot.expected.code == "DEAL_DEALER_DOWN" and self.chance.random() < TWINS:
            self._table.begin_twin()
        before, shoe = self._known(), snapshot.state.shoe.number
        drawn = self._players.draw(act, snapshot) or 0
        if self._world.unplugged and not self._world.camera_deals:
            self._world.never_reported(drawn)
        self._table.receive()
        self._wait_for(lambda _: self._known() >= before + drawn)
        more = self._known() - before
        # Of a shoe that nothing reads the burn cards count once the first card is dealt.
        same = self._table.ledger.state.shoe.number == shoe and self._world.shoe_reads
        # One that the table itself doubts is the pit's to keep or to strike.
        more -= sum(hold.code == NOT_DEALT for hold in self.snapshot.holds)
        require(more <= drawn or not same, "CARD_TWICE", f"{drawn} left the shoe, {more} more are known")

    def _known(self) -> int:
        """Cards that the table knows to have left the shoe."""
        run = self._table.ledger.run
        return run.state.shoe.seen + len(run.kept)

    def _rule(self, snapshot: TableSnapshot, steps: int) -> None:
        """The round has gone wrong for too long: what is found from now on is not what was meant."""
        self.gone_wrong = snapshot.state.book.number
        self._pit.rule(snapshot, steps)

    def _is_misread(self) -> bool:
        """Whether a camera alone has read a card of the round as another one: nobody can notice that."""
        camera = self._table.devices.camera
        alone = camera is not None and not self._world.shoe_reads
        return alone and camera is not None and not camera.eye.misread.isdisjoint(self._world.lying_cards())

    def _check_planned(self, snapshot: TableSnapshot) -> None:
        """Before the table is cleared: it pays what was in truth dealt and decided, where that is known."""
        planned, result = self._players.planned, snapshot.result
        if planned is None or result is None or result.round == self.gone_wrong:
            return
        if result.status == "settled" and result.round == snapshot.state.book.number:
            if self._is_misread():
                self._table.figures["paid by a misread card"] += 1
                return
            found = amounts(snapshot.state)
            require(found == planned, "PAID_WRONGLY", f"round {result.round}: {found} instead of {planned}")
