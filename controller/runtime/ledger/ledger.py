"""What the journal says of the table up to an entry."""

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
    """What a device observed during a hold, but for a card: it comes to the door when the hold is lifted."""

    seq: int
    actor: str
    observation: Observation


class UnreadEntries(NamedTuple):
    """Entries that are not on the table: the first cannot be folded, the others follow it."""

    first: int
    last: int


class Ledger(NamedTuple):
    """Everything that follows from the entries up to `seq`: the table, and what is known beside it.

    `run` is the table as its policy decides on it; cards that wait there are marked with their entry.
    `fact_seq` is the last fact that makes an older decision stale, `moved_seq` the last after which cards do
    not lie where they lay or are not what they were (the table was cleared, or somebody ruled), `devices` the
    last journalled state of each device since the process started, `excused` the camera's contradictions (by
    round) that somebody has looked at and resumed from, `answered` the accepted commands with their
    last entry, `orders` the last order to each device, `unread` the entries that nothing is known of until
    the table is held in front of them (see `unread`), `unturned` the rounds with a card
    that was dealt face down and either never turned or laid elsewhere by a ruling: its reading stays hidden
    for good, `withheld` the alerts that only such a card explains: they stay in the journal, for
    surveillance. `decks` is the deck profile (SHA-256) of each camera that reads with one since the process
    started, `unconfirmed` are the payouts that nobody has confirmed, `booked` what was due when each of the
    round's payouts was entered, as (round, box, seat, amount), `known` how what was given is known, likewise.
    `tries` are wrong PINs and where people signed in, `people_noted` the last change of their file,
    `dealer` the id of whoever deals, "" where nobody has signed in.
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
        """How many observations wait for the table to go on."""
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
