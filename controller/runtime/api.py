"""The interface of a running table to screens and devices: commands in, snapshots out.

A screen holds two parts of the runtime: a `TablePort` for commands and a `Hub` for snapshots. A snapshot
needs no further redaction: a face-down card that has not been turned has no rank here, whoever read it.
"""

from collections.abc import AsyncIterator
from typing import Literal, NamedTuple, Protocol

from controller.acts.catalogue import Observation
from controller.acts.money import PayoutKnown
from controller.domain import RoundResult, RuleSet
from controller.engine import Expected, OfferedAct, TableState
from controller.forensics import Run
from controller.irregularities import Release, Way
from controller.people.sign_in import StaffEvent
from controller.policy import DEFAULT_OPTIONS, SecondPerson, TableOptions
from controller.policy.holds import Hold
from controller.policy.line import PayoutsBy
from controller.policy.money import StakeReading
from controller.policy.run import NO_SECOND
from controller.ports import DeviceKind, Presence

Role = Literal["dealer", "pit", "surveillance", "tester", "administrator", "device", "system"]
Mode = Literal["live", "simulation"]
Params = tuple[tuple[str, int | str], ...]


class Observe(NamedTuple):
    """A fact of the table: a bet, a decision, a card by hand, a correction."""

    observation: Observation


class CallPit(NamedTuple):
    """Stop the table at once (freeze, call pit); `note` is shown as typed.

    Equal notes are one hold. Refused (NOTES_FULL) only where the table is stopped with many notes already.
    """

    note: str = ""


class Resume(NamedTuple):
    """Lift every hold. `without` names lost devices that the table goes on without (pit only)."""

    without: tuple[str, ...] = ()


class AlertStep(NamedTuple):
    """One step in the life of an alert: `ack`, `assign` or `resolve`; `note`: a remark or the assignee."""

    alert: int
    step: Literal["ack", "assign", "resolve"]
    note: str = ""


class BoxHandled(NamedTuple):
    """The dealer has paid, taken or pushed this box of the settled round."""

    round: int
    box: int


class Autoplay(NamedTuple):
    """Simulation only: the simulated people act by themselves, or leave it to the screens."""

    on: bool


class DeviceOrder(NamedTuple):
    """Have a device do something, such as unlock the shoe (pit only); `reason` is kept for the audit."""

    device: str
    order: str
    reason: str


class NameCard(NamedTuple):
    """Name a card that a camera reads with certainty (pit only); the camera uses that name from then on.

    Cards are written as `8h`: `was` is the camera's certain reading, `card` the true card. `seen`, if given,
    is the camera's contradicting reading: then its hold ends, and must still exist. `at` is the place in the
    camera's picture, None when it is unknown.
    """

    camera: str
    box: int
    at: tuple[int, int] | None
    was: str
    seen: str | None
    card: str
    reason: str


BesideFacts = CallPit | Resume | AlertStep | BoxHandled | Autoplay | DeviceOrder | NameCard
"""What people ask for beside facts of the table."""

TableAction = Observe | BesideFacts
"""What people at screens ask for."""

Action = TableAction | StaffEvent
"""Anything that can be asked; what the journal notes of people comes from the server itself."""


class Command(NamedTuple):
    """A request to the table.

    `command_id` is unique for each press; a repeated one is answered as the first time and has no effect. A
    device leaves it empty. `expected_seq` is the `seq` of the snapshot that the person looked at, or None for
    devices: a decision or override is refused with STALE_COMMAND when a fact has arrived since. Bets are
    never stale: the engine alone refuses those that come too late. A `seq` above the newest entry was never
    shown: such a command is refused in the same way, except CallPit. `second` is the id of the second person,
    "" for none. `meaning` is the request as text: the same `command_id` with another meaning is refused.
    `commander` is the public key of the pit's server that has signed it, "" at the table's own screens.
    """

    command_id: str
    actor: str
    role: Role
    expected_seq: int | None
    action: Action
    second: str = ""
    meaning: str = ""
    commander: str = ""


class Accepted(NamedTuple):
    """Durable and visible; `seq` is the last journal entry that the command made."""

    seq: int


class Rejected(NamedTuple):
    """Nothing changed. `code` names `refused.<code>` or `error.<code>` in the catalogues."""

    code: str
    params: Params = ()


CommandAnswer = Accepted | Rejected


class HoldView(NamedTuple):
    """A reason why the table waits: `hold.<code>` in the catalogues, its time, and its author.

    `about` is the policy's hold of a fault; None for a hold that a resume lifts. The other fields are for the
    screens, as in `Hold`: role, ways out and their source, round, card and box.
    """

    code: str
    params: Params
    since_utc_us: int
    by: str
    about: Hold | None = None
    release: Release = "pit"
    ways: tuple[Way, ...] = ()
    source: str = ""
    round: int = 0
    card: int = 0
    box: int = -1


class OrderView(NamedTuple):
    """The last order to a device: None as `code` is no answer yet, "" is done, anything else is why not."""

    order: str
    reason: str
    by: str
    at_utc_us: int
    code: str | None


class DeviceView(NamedTuple):
    """The last state of a device. `age_ms` is the age of its newest sign of life, None before the first.

    `orders` are the pit's possible orders. `deck` is the SHA-256 of a camera's deck profile, "" without one.
    """

    name: str
    kind: DeviceKind
    state: Presence
    age_ms: int | None
    orders: tuple[str, ...] = ()
    last_order: OrderView | None = None
    deck: str = ""


class AlertView(NamedTuple):
    """An alert that is not resolved; `alert` is its journal sequence and names it in an `AlertStep`."""

    alert: int
    code: str
    severity: str
    round: int
    params: Params
    at_utc_us: int
    status: Literal["open", "acked", "assigned"]
    by: str
    note: str


class PayProgress(NamedTuple):
    """The boxes of the settled round that the dealer has already handled, in the order of handling."""

    round: int
    handled: tuple[int, ...]


class UnconfirmedPayout(NamedTuple):
    """A payout in minor units that was not confirmed."""

    round: int
    box: int
    seat: int
    amount: int


class TableSnapshot(NamedTuple):
    """The content of a screen after journal entry `seq`. A higher `seq` replaces a lower one.

    The same `seq` may be published again when only ages changed. `result` is that of the latest settled,
    voided or disputed round until the next one begins; `waiting` counts cards that left the shoe during a
    hold and are placed after it; `autoplay` is None on a live table. `options` are the house's options.
    `closing` names the missing and surplus cards of the last closing count, or of the running count. It is
    for a signed-in pit alone: no view, log or metric shows it. `repeated` are the runs of this shoe that
    repeat an order, for the same people, empty while a card is face down. `rest` is the number of counted
    cards of the rest, None without a count. `payouts` is the house's way of recording payouts. `chips` are
    the chip sources' readings of the circles, `unconfirmed` the payouts without a confirmation. `booked` is
    the amount due, as (box, seat, amount), when each payout of this round was entered; `known` is the source
    of each, likewise. Closed rounds from `first_round` on are kept (see `TablePort.closed_round`). `dealing`
    is the dealer, "" without one; `second` lists the pit's acts that take two people.
    """

    seq: int
    at_utc_us: int
    mode: Mode
    table: str
    currency: str
    rules: RuleSet
    state: TableState
    expected: Expected
    acts: tuple[OfferedAct, ...]
    result: RoundResult | None
    pay: PayProgress
    holds: tuple[HoldView, ...]
    devices: tuple[DeviceView, ...]
    alerts: tuple[AlertView, ...]
    waiting: int
    autoplay: bool | None
    options: TableOptions = DEFAULT_OPTIONS
    closing: Params = ()
    repeated: tuple[Run, ...] = ()
    rest: int | None = None
    payouts: PayoutsBy = "confirm"
    chips: tuple[StakeReading, ...] = ()
    unconfirmed: tuple[UnconfirmedPayout, ...] = ()
    booked: tuple[tuple[int, int, int], ...] = ()
    known: tuple[tuple[int, int, PayoutKnown], ...] = ()
    first_round: int = 1
    dealing: str = ""
    second: SecondPerson = NO_SECOND


class AuditLine(NamedTuple):
    """A journal entry as the audit trail shows it; `body` is JSON text without any face-down card."""

    seq: int
    kind: str
    at_utc_us: int
    round: int | None
    actor: str
    body: str
    hash: str
    caused_by: int | None = None


class TablePort(Protocol):
    """The way in: one command, one answer, given only after the journal has it."""

    async def submit(self, command: Command, *then: Command) -> Accepted | Rejected:
        """Wait until a command is decided and durable, and return the answer.

        `then` are further commands of the same press: all are taken, or none. Each is decided in the state
        that the one before it left.
        """
        ...

    def closed_round(self, number: int) -> TableState | None:
        """Return the closed round of this number as screens may see it; None when it is not kept any more.

        Rounds of a long shift are kept; a snapshot carries the last one only.
        """
        ...

    async def audit(self, from_seq: int, limit: int) -> tuple[AuditLine, ...]:
        """At most `limit` (1 to 500) journal entries from `from_seq` on, oldest first."""
        ...


class Hub(Protocol):
    """The way out: the newest snapshot, latest wins."""

    def latest(self) -> TableSnapshot:
        """Return the snapshot that a screen shows now."""
        ...

    def subscribe(self) -> AsyncIterator[tuple[int, TableSnapshot]]:
        """`async for seq, snapshot in hub.subscribe()`: at once the latest, then each newer one.

        A slow reader skips to the newest; it never holds the table up.
        """
        ...
