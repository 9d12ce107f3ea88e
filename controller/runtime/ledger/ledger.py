"""The ledger: the state of the table after an entry of its journal."""

from dataclasses import replace
from typing import NamedTuple

from controller.acts.catalogue import CardSeen, Observation
from controller.acts.money import PayoutKnown
from controller.domain import JournalError
from controller.engine import TableState
from controller.journal.entry import Entry
from controller.journal.upcast import Body
from controller.people.sign_in import NO_TRIES, TryRecord
from controller.policy import Person, TableRun, new_run
from controller.policy.state.holds import Hold
from controller.policy.state.line import KeptCard
from controller.runtime.api import AlertView, OrderView, Params, PayProgress, UnconfirmedPayout
from controller.runtime.ledger.answered import NO_ANSWERS, AnsweredCommands
from controller.runtime.ledger.journal_opening import Opening, dealt_rules, opening_of


class Waiting(NamedTuple):
    """A device's observation during a hold, other than a card; it reaches the door after the hold."""

    seq: int
    actor: str
    observation: Observation


class UnreadEntries(NamedTuple):
    """Entries that are not on the table: the first cannot be folded, the others follow it."""

    first: int
    last: int


class Ledger(NamedTuple):
    """The state after the entries up to `seq`: the table, and all state beside it.

    `run` is the table of the policy; cards that wait in it are marked with their entry. `fact_seq` is the
    last fact that makes an older decision stale. `moved_seq` is the last entry that moved or changed cards: a
    cleared table, or a ruling. `devices` are the last journalled states since the process started. `excused`
    are the camera's contradictions, by round, that a person has checked and resumed from. `answered` are the
    accepted commands with their last entry, `orders` the last order to each device. `unread` are the entries
    that cannot be folded until the table is held in front of them (see `unread`). `unturned` are the rounds
    with a card that was dealt face down and never turned, or moved by a ruling: its reading stays hidden for
    good. `withheld` are the alerts that only such a card explains: they stay in the journal, for
    surveillance. `decks` is the deck profile (SHA-256) of each camera since the process started.
    `unconfirmed` are the unconfirmed payouts; `booked` is the amount due when each payout of the round was
    entered, as (round, box, seat, amount); `known` is the source of each, likewise. `tries` are wrong PINs
    and the places of sign-ins, `people_noted` is the last change of the people's file, `dealer` the present
    dealer's id, "" without one.
    """

    seq: int
    opening: Opening
    run: TableRun
    fact_seq: int = 0
    moved_seq: int = 0
    pay: PayProgress = PayProgress(0, ())
    alerts: tuple[AlertView, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    devices: tuple[tuple[str, str], ...] = ()
    excused: tuple[tuple[int, Params], ...] = ()
    answered: AnsweredCommands = NO_ANSWERS
    orders: tuple[tuple[str, OrderView], ...] = ()
    unturned: frozenset[int] = frozenset()
    withheld: frozenset[int] = frozenset()
    unconfirmed: tuple[UnconfirmedPayout, ...] = ()
    booked: tuple[tuple[int, int, int, int], ...] = ()
    known: tuple[tuple[int, int, int, PayoutKnown], ...] = ()
    unread: UnreadEntries | None = None
    decks: tuple[tuple[str, str], ...] = ()
    at_utc_us: int = 0
    """When the last entry was decided; 0 where that is not known."""
    tries: TryRecord = NO_TRIES
    people_noted: int = 0
    dealer: str = ""

    @property
    def state(self) -> TableState:
        """The engine's state."""
        return self.run.state

    @property
    def holds(self) -> tuple[Hold, ...]:
        """Why the table waits, the newest last."""
        return self.run.holds

    @property
    def waiting_count(self) -> int:
        """The number of observations that wait for the end of the hold."""
        return len(self.run.kept) + len(self.waiting)


def with_devices(ledger: Ledger, devices: tuple[tuple[str, str], ...]) -> Ledger:
    """The ledger with the last journalled state of each device."""
    lost = tuple([name for name, presence in devices if presence == "lost"])
    return ledger._replace(devices=devices, run=replace(ledger.run, lost=lost))


def with_waiting(ledger: Ledger, arrived: Waiting) -> Ledger:
    """The ledger with one more observation that waits; a card waits at the table itself."""
    if not isinstance(arrived.observation, CardSeen):
        return ledger._replace(waiting=(*ledger.waiting, arrived))
    kept = KeptCard(arrived.observation, Person("shoe", arrived.actor), arrived.seq)
    return ledger._replace(run=replace(ledger.run, kept=(*ledger.run.kept, kept)))


def all_waiting(ledger: Ledger) -> tuple[Waiting, ...]:
    """All that waits, in the order in which it came."""
    cards = [Waiting(kept.mark, kept.by.id, kept.card) for kept in ledger.run.kept]
    return tuple(sorted((*cards, *ledger.waiting), key=lambda arrived: arrived.seq))


def open_ledger(entry: Entry) -> Ledger:
    """Begin with entry 1. Raises `JournalError` NOT_OPENED when it is anything else."""
    if entry.kind != "opened" or entry.seq != 1:
        raise JournalError("NOT_OPENED", seq=entry.seq, kind=entry.kind)
    opening = opening_of(entry)
    return Ledger(entry.seq, opening, new_run(opening.house, dealt_rules(opening.rules, opening.house)))


def params_of(body: Body) -> Params:
    """Read the parameters that stand beside the fixed keys of an alert, trouble or hold."""
    return tuple((key, value) for key, value in body.get("params", {}).items())
