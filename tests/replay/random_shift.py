"""A shift at the live table's door: people deal, err and rule by chance, and a real journal is left.

What the table itself had (rounds, money, holds, alerts) is noted while it goes on, from its ledger alone.
"""

import random
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from controller.acts.catalogue import (
    AmendClose,
    AmendDecision,
    AmendEvenMoney,
    AmendInsurance,
    AmendPeek,
    AmendReveal,
    AmendStake,
    Bet,
    CardSeen,
    Correct,
    Decision,
    DeviceSeen,
    End,
    Exposed,
    Leave,
    Limits,
    Move,
    Observation,
    Paid,
    Peek,
    Reveal,
    ShoeLoaded,
    ShoeVoided,
    Strike,
    Swap,
    TableDay,
    Void,
)
from controller.acts.round import Action
from controller.acts.rulings import HandName, StruckAs
from controller.domain import RANKS, SUITS, Rank
from controller.engine.state import TableState
from controller.feed.replay import Json, round_json
from controller.journal.store import Journal
from controller.policy import DEFAULT_OPTIONS, House
from controller.policy.allowed import last_decision
from controller.ports import Report
from controller.rules import HOUSES, load_file
from controller.runtime.api import AlertStep, CallPit, Command, Observe, Resume, Role, TableAction
from controller.runtime.door import TableDoor
from controller.runtime.inbox import SubmittedCommand, TableLimits
from controller.runtime.restore import Identity, restore, start
from controller.simulation.moves import guest_bets, guest_decision, guest_insurance
from tests.replay.replay_kit import HandClock

BY: Final = ("p7", "as it lay")
MOST_STEPS: Final = 900


class ShiftTruth(NamedTuple):
    """What the table itself had."""

    rounds: dict[int, Json]
    """The last result of each round that was settled, voided or disputed."""
    alerts: list[str]
    """The codes of its alerts that were open after an act."""
    last_round: int
    """The last round that was begun."""
    restored: bool
    """Whether a restart comes to the very table that was left."""


class RandomShift:
    """One shift: the same for the same seed."""

    def __init__(self, path: Path, seed: int, rounds: int) -> None:
        self.chance = random.Random(seed)
        self.clock = HandClock()
        file = load_file(HOUSES[seed % len(HOUSES)], Path())
        options = DEFAULT_OPTIONS if self.chance.random() < 0.5 else DEFAULT_OPTIONS._replace(card_gap_ms=0)
        identity = Identity("T1", file.rules, "EUR", House(file.irregularities, options))
        self.rounds, self.alerts = dict[int, Json](), list[str]()
        self.journal = Journal.open(path, self.clock)
        self.numbers = iter(range(1, 1_000_000))
        # Nothing of it may depend on the disk being quick.
        limits = TableLimits(journal_slow_ms=60_000)
        self.door = TableDoor(
            self.journal,
            start(self.journal, identity, "live", "test"),
            self.clock,
            mode="live",
            limits=limits,
        )
        for _ in range(MOST_STEPS):
            if self.state.book.number > rounds and not self.state.boxes:
                break
            self.go_on()
        self.restored = restore(self.journal.read()) == self.door.ledger
        self.begun = self.state.book.number if self.state.log else self.state.book.number - 1
        self.journal.close()

    @property
    def state(self) -> TableState:
        return self.door.ledger.state

    @property
    def truth(self) -> ShiftTruth:
        return ShiftTruth(self.rounds, self.alerts, self.begun, self.restored)

    def ask(self, action: TableAction, role: Role = "pit") -> None:
        name = f"c{next(self.numbers)}"
        command = Command(name, "p7" if role == "pit" else "d1", role, None, action, meaning=f"{action}")
        self.take(SubmittedCommand(command, lambda _answer: None))

    def say(self, told: Observation, role: Role = "dealer") -> None:
        self.ask(Observe(told), role)

    def card(self, rank: Rank | None, **fields: Any) -> None:
        suit = None if rank is None else self.chance.choice(SUITS)
        self.take(Report("shoe", 0, (CardSeen(rank, suit, by="shoe", **fields),)))

    def take(self, item: Any) -> None:
        self.clock.t += self.chance.choice((0.1, 0.7, 2.0, 9.0))
        before = self.door.ledger
        self.door.take(item)
        self._note(before, self.door.ledger)

    def _note(self, before: Any, after: Any) -> None:
        """What has come since, from the ledger alone."""
        self.alerts += [alert.code for alert in after.alerts if alert.alert > before.seq]
        for old in (*after.state.book.past, after.state):
            result = old.settlement.result
            if result is not None:
                self.rounds[old.book.number] = round_json(result)
            else:
                # A ruling has opened it again.
                self.rounds.pop(old.book.number, None)

    def go_on(self) -> None:
        """One more thing happens."""
        chance = self.chance
        if self.door.ledger.holds and chance.random() < 0.85:
            self.rule_on_hold()
        elif chance.random() < 0.08:
            self.say(chance.choice(self.rulings()), "pit")
        elif chance.random() < 0.06:
            self.err()
        else:
            self.play()

    def play(self) -> None:  # noqa: C901, PLR0912 - one line a case
        """What the table waits for."""
        chance, snapshot = self.chance, self.door.snapshot()
        state, code = snapshot.state, snapshot.expected.code
        match code:
            case "NEW_SHOE":
                self.say(ShoeLoaded(snapshot.rules.decks))
            case "BURN" | "DEAL_BOX" | "DEAL_DEALER" | "CARD_OWED" | "DRAW":
                self.card(None if chance.random() < 0.02 else chance.choice(RANKS))
            case "DEAL_DEALER_DOWN":
                self.card(None if chance.random() < 0.3 else chance.choice(RANKS), face="down")
            case "PLACE_BETS":
                if not state.shoe.seen and state.book.number == 1 and not state.log:
                    self.say(ShoeLoaded(snapshot.rules.decks))
                for told in guest_bets(snapshot.rules, chance)[-4:]:
                    self.say(told)
            case "INSURANCE":
                self.say(guest_insurance(snapshot.acts, chance))
            case "PLAYER":
                if chance.random() < 0.2:
                    self.card(chance.choice(RANKS))
                else:
                    self.say(guest_decision(state, snapshot.acts))
            case "PEEK":
                self.say(Peek(chance.random() < 0.2))
            case "REVEAL":
                rank = chance.choice(RANKS) if chance.random() < 0.5 else None
                self.say(Reveal(rank, "s" if rank else None))
            case "WHICH_CARD":
                number = snapshot.expected.get("card")
                self.say(Correct(cast("int", number), None, chance.choice(RANKS), "h", *BY), "pit")
            case "DISPUTED":
                self.say(chance.choice((Void(None, *BY), *self.rulings())), "pit")
            case _:
                self.settled()

    def settled(self) -> None:
        chance, result = self.chance, self.state.settlement.result
        if result is not None and result.bets and chance.random() < 0.2:
            bet = chance.choice(result.bets)
            wrong = 500 if chance.random() < 0.3 else 0
            self.say(Paid(bet.box, bet.seat, bet.returned + wrong))
        self.say(End())

    def err(self) -> None:  # noqa: C901 - one line a case
        """What people and devices do that nobody asked for."""
        chance = self.chance
        box = chance.randint(1, 3)
        match chance.randint(0, 11):
            case 0 | 1:
                self.card(chance.choice(RANKS))
            case 2:
                self.card(chance.choice(RANKS), to=chance.choice(("dealer", "burn")))
            case 3:
                self.card(chance.choice(RANKS), to="box", box=box, hand=1)
            case 4:
                self.say(End())
            case 5:
                self.say(Reveal())
            case 6:
                self.say(Exposed("dealer" if chance.random() < 0.5 else box))
            case 7:
                self.ask(CallPit("a word"))
            case 8:
                self.take(Report("shoe", 0, (DeviceSeen("shoe", chance.choice(("lost", "live"))),)))
            case 9:
                self.undo()
            case 10:
                self.say(Leave(box, 0))
            case _:
                self.aside()

    def aside(self) -> None:
        chance, alerts = self.chance, self.door.ledger.alerts
        if alerts:
            self.ask(AlertStep(chance.choice(alerts).alert, "resolve", "seen"))
        self.say(Limits(500, 50_000, 500, "p7"), "pit")
        self.say(TableDay("open", "p7"), "pit")
        self.say(Bet(chance.randint(1, 7), 0, 1000))

    def undo(self) -> None:
        made = last_decision(self.state)
        if made is None:
            self.say(AmendClose("d1", "slip"))
        else:
            self.say(AmendDecision(made.box, made.hand, made.nth, None, "d1", "slip"))

    def rule_on_hold(self) -> None:
        """A way out of one of the holds, or anything else."""
        chance, ledger = self.chance, self.door.ledger
        hold = chance.choice(ledger.holds)
        if ("shoe", "lost") in ledger.devices and chance.random() < 0.5:
            self.take(Report("shoe", 0, (DeviceSeen("shoe", "live"),)))
        elif chance.random() < 0.25:
            self.say(chance.choice(self.rulings()), "pit")
        elif hold.code == "DECISION_UNCLEAR" and hold.release == "dealer":
            at = self.state.current
            if at is not None:
                action: Action = "hit" if chance.random() < 0.5 else "stand"
                self.say(Decision(at[0].box, at[1].number, action))
        elif chance.random() < 0.5:
            self.ask(Resume())
        else:
            self.say(self.way(hold), "pit")

    def way(self, hold: Any) -> Observation:  # noqa: C901 - one line a case
        chance = self.chance
        card = hold.card or self.state.cards_seen or 1
        by = (*BY, None)
        match chance.choice(hold.ways or ("keep",)):
            case "strike":
                return Strike(card, None, *BY, second="pit:P8")
            case "burn":
                return Strike(card, None, *BY, burn=True, second="pit:P8")
            case "correct":
                return Correct(card, None, chance.choice(RANKS), "h", *by, second="pit:P8")
            case "move":
                return Move(card, None, "box", chance.randint(1, 3), 1, *by, second="pit:P8")
            case "void_box":
                return Void(max(hold.box, 1), *by, second="pit:P8")
            case "void_round":
                return Void(None, *by, second="pit:P8")
            case "shoe":
                return ShoeLoaded(self.state.shoe.decks)
            case "shoe_void":
                return ShoeVoided(*BY, "pit:P8")
            case _:
                return chance.choice(self.rulings())

    def rulings(self) -> list[Observation]:
        """One of every kind, on this round or on one before."""
        chance, now = self.chance, self.state.book.number
        within = None if chance.random() < 0.6 or now == 1 else chance.randint(max(1, now - 3), now)
        card, box = chance.randint(1, 9), chance.randint(1, 7)
        decided: Action | None = chance.choice((None, "hit", "stand", "double", "split"))
        kinds: tuple[StruckAs, ...] = ("extra", "double_read", "boxed", "defective", "foreign")
        return [
            Correct(card, None, chance.choice(RANKS), chance.choice((None, "h")), *BY, within),
            Strike(card, None, *BY, round=within, burn=chance.random() < 0.3),
            Strike(card, None, *BY, round=within, struck_as=chance.choice(kinds)),
            Move(card, None, "box", box, 1, *BY, within),
            Move(card, None, "dealer", None, None, *BY, within),
            Swap(HandName(box, 1), HandName(chance.randint(1, 7), 1), *BY, within),
            AmendStake(box, 0, chance.choice((0, 1000, 2000)), *BY, within),
            *(AmendDecision(box, 1, chance.randint(1, 2), decided, *BY, None, None, within) for _ in "1234"),
            AmendInsurance(box, 0, 500, *BY, within),
            AmendEvenMoney(box, 0, chance.random() < 0.5, *BY, within),
            AmendPeek(chance.random() < 0.5, *BY, within),
            AmendReveal(*BY, within),
            Void(box, *BY, within),
            Void(None, *BY, within),
            Paid(box, 0, 1000, within),
        ]
