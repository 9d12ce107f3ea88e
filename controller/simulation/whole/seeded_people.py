"""The people at a seeded table: what they do next, when they wait for a camera, and how the pit rules."""

from collections.abc import Callable
from random import Random
from typing import Final

from controller.acts.catalogue import (
    CardSeen,
    CutCard,
    End,
    HoldsLifted,
    Paid,
    Strike,
    Void,
)
from controller.domain.cards import RANKS
from controller.policy.state.holds import ASKED
from controller.runtime.api import (
    Accepted,
    Action,
    Command,
    CommandAnswer,
    HoldView,
    Observe,
    Resume,
    Role,
    TableSnapshot,
)
from controller.simulation import guests
from controller.simulation.acts import DrawCard, Handle, MoveCards, PressKeys
from controller.simulation.clean_round import amounts
from controller.simulation.next_moves import is_done
from controller.simulation.players import Players
from controller.simulation.simulated_people import EFFECT_S
from controller.simulation.whole.broken import require
from controller.simulation.whole.devices.seeded_inputs import key_of
from controller.simulation.whole.seeded_table import SeededTable
from controller.simulation.world import World

VOID_EVERY: Final = 8
"""Once its patience is at an end, every eighth step the pit voids the whole round, where that is allowed."""
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
TWICE: Final = 0.04
"""Share of the keys that are pressed twice."""
LOST: Final = frozenset({"SHOE_GAP", "CARD_NOT_ARRIVED"})
"""Holds of a card that somebody would have to look for."""


class SeededPeople:
    """Dealer, guests and pit. They outlive the program; `sit_down` whenever it has come up."""

    def __init__(self, table: SeededTable, chance: Random, patience: int) -> None:
        """Nobody sits yet; `patience` in steps of one round."""
        self._table, self.chance, self._patience = table, chance, patience
        self._presses = 0
        self.gone_wrong = 0
        """The round that is played with other cards, or told otherwise, than was meant."""
        self._awaited: Callable[[TableSnapshot], bool] | None = None
        self._until_ns = 0
        self._looked = self._strays = 0

    def sit_down(self, world: World, players: Players) -> None:
        """Play at this felt from now on."""
        self._world, self._players = world, players

    @property
    def snapshot(self) -> TableSnapshot:
        """The table as it is shown."""
        return self._table.open_table.door.hub.latest()

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
            self.press(Resume(), "dealer")
        elif any(hold.code == "FROZEN" for hold in snapshot.holds):
            # As the key on the pit's page does: what else holds the table is ruled on by itself.
            self.press(Observe(HoldsLifted("p7", "seen", ("FROZEN",))), "pit")
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
            if by_key or self.press(action, act.role):
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
            self.press(Observe(CutCard()), "dealer")
            self._give_up(snapshot)
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
        require(more <= drawn or not same, "CARD_TWICE", f"{drawn} left the shoe, {more} more are known")

    def _known(self) -> int:
        """Cards that the table knows to have left the shoe."""
        run = self._table.ledger.run
        return run.state.shoe.seen + len(run.kept)

    def _rule(self, snapshot: TableSnapshot, steps: int) -> None:
        """The round has gone wrong for too long: the pit rules on one hold after the other, as the house may.

        What is found so is no longer what was meant; in the end two of the pit void the whole round.
        """
        self.gone_wrong = snapshot.state.book.number
        ruled = steps % VOID_EVERY != 0 and any(map(self._ruled, snapshot.holds))
        if not ruled:
            self._give_up(snapshot)

    def _ruled(self, hold: HoldView) -> bool:
        """Whether the pit found a way out: the answer to a question, or a ruling that is offered."""
        if hold.code == ASKED:
            now = self.snapshot
            return self.press(Observe(guests.decision(now.state, now.acts)), "dealer")
        for way in self.chance.sample(hold.ways, len(hold.ways)):
            for action in self._ways(hold, way):
                if self.press(action, "pit"):
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

    def _give_up(self, snapshot: TableSnapshot) -> None:
        """Two of the pit void the round, and the table goes on.

        Not where the house asks for something else first: the payout as it should have been, or the card that
        the dealer owes, from another pack where the shoe is out of reach.
        """
        self.gone_wrong = snapshot.state.book.number
        if self._world.unplugged:
            self._world.plug_cable()
            self._table.receive()
        for params in (dict(hold.params) for hold in snapshot.holds if hold.code == "WRONG_PAYOUT"):
            box, seat, due = (int(params[name]) for name in ("box", "seat", "expected"))
            self.press(Observe(Paid(box, seat, due)), "pit")
        if any("draw" in hold.ways and "void" not in hold.ways for hold in snapshot.holds):
            self.press(Observe(CardSeen(self.chance.choice(RANKS), "s", by="hand")), "pit")
        if snapshot.holds and self.press(Resume(), "pit"):
            return
        # One at a time, as at the page: a hold that may be kept stands in the way of one that may not.
        kept = tuple(hold.code for hold in snapshot.holds if "keep" in hold.ways)
        if kept:
            self.press(Observe(HoldsLifted("p7", "seen", kept)), "pit")
        self.press(Observe(Void(None, "p7", "gone wrong", second="pit:P8")), "pit")
        self.press(Observe(End()), "dealer")

    def _is_misread(self) -> bool:
        """Whether a camera alone has told a card of the round as another one: nobody can notice that."""
        camera = self._table.devices.camera
        alone = camera is not None and not self._world.shoe_reads
        return alone and camera is not None and not camera.eye.misread.isdisjoint(self._world.lying_cards())

    def press(self, action: Action, role: Role) -> bool:
        """Press a key, now and then twice: the dealer what he may, the pit with a second person the rest."""
        roles: tuple[Role, ...] = ("dealer", "pit") if role == "system" else (role,)
        for one in roles:
            command = self.command(action, one)
            answer = self._table.ask(command)
            if self.chance.random() < TWICE:
                self._again(command, answer)
            if isinstance(answer, Accepted):
                if isinstance(action, Resume):
                    # As the live table does once a hold is lifted: a device that was given up is tried again.
                    self._table.devices.acknowledge()
                return True
        return False

    def _again(self, command: Command, answer: CommandAnswer) -> None:
        """The same command once more, as from a screen that has not heard the answer."""
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
