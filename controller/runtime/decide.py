"""Decide each item of the inbox: a report of a device, a command of a person, a device that comes or goes."""

import hashlib
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from controller.acts.catalogue import (
    RULINGS,
    CardSeen,
    Correct,
    DealerSeated,
    HoldsLifted,
    Observation,
    Void,
    declared,
)
from controller.acts.declaring import Act, Situation
from controller.domain import DeviceError, Refused, TableError
from controller.engine import step
from controller.engine.state import TableState
from controller.feed.codec import parse, to_json
from controller.journal.entry import Body
from controller.people.sign_in import (
    FREE_TRIES,
    KINDS,
    Denied,
    PeopleChanged,
    PeopleListed,
    PinRefused,
    SignedIn,
    SignedOut,
    StaffEvent,
)
from controller.policy import Person
from controller.policy import decide as decide_line
from controller.policy.allowed import ADMINISTRATOR_LIFTS, act_of, allowed, is_other, situation_of
from controller.policy.decide import draws
from controller.policy.holds import NEED_ANSWER, PICTURE_DIFFERS
from controller.ports import Health, OrderAnswer, Report, Trouble
from controller.runtime import api
from controller.runtime.api import (
    Accepted,
    AlertStep,
    Autoplay,
    BesideFacts,
    BoxHandled,
    CallPit,
    Command,
    DeviceOrder,
    NameCard,
    Observe,
    Rejected,
    Resume,
)
from controller.runtime.draft import Draft, RefusedByRules, adopt
from controller.runtime.ledger import Ledger, is_doubt, naming_of
from controller.runtime.redaction import unturned_card
from controller.runtime.restore import SYSTEM, set_aside_bodies
from controller.runtime.taking import (
    REASON,
    due_order,
    go_on_in_shadow,
    lay_waiting,
    line_of,
    observe,
    take_trouble,
)

FRESH: Final = 64
"""Entries that may have been written since the pit looked at a table far away: about two minutes of play."""

NOTES_MAX: Final = 16
"""Different notes of people who stopped the table that are kept at once."""


_BETWEEN_ROUNDS: Final = frozenset(("enrol",))
"""Orders for which the felt is needed: none while a card of a round lies."""

Orders = frozenset[tuple[str, str]]
"""What devices can be asked to do now: (device, order)."""


def decide(
    draft: Draft,
    command: Command,
    orders: Orders = frozenset(),
    dealer_may_miss: frozenset[str] = frozenset(),
) -> Accepted | Rejected:
    """Add the entries of a person's command. A refusal changes no state; the engine's are recorded.

    `dealer_may_miss` are the witnesses without which the house lets a dealer continue.
    """
    # First: a repeated press whose answer was lost gets the same answer, in any state of the table.
    repeated = draft.ledger.answered.find(command.command_id) if command.command_id else None
    if repeated is not None:
        asked = meaning_hash(draft.ledger, command)
        return Rejected("COMMAND_REUSED") if repeated.differs_from(asked) else Accepted(repeated.seq)
    try:
        with draft.whole_or_nothing(but=RefusedByRules):
            require_allowed(draft.ledger, command, dealer_may_miss)
            _require_timely(draft.ledger, command)
            if isinstance(command.action, DeviceOrder):
                _require_orderable(draft.ledger, command.action, orders)
            actor, before = f"{command.role}:{command.actor}", len(draft.proposals)
            if isinstance(command.action, Observe):
                _observe_command(draft, command, command.action, actor)
            else:
                _act(draft, command, command.action, actor)
            # A command signed by the pit's server gets another entry, with that server's key.
            if command.commander and len(draft.proposals) > before:
                draft.add("commanded", {"by": command.commander, **_proof_of(draft.ledger, command)}, actor)
    except TableError as refusal:
        return Rejected(refusal.code, tuple(refusal.params.items()))
    return Accepted(draft.ledger.seq)


def _require_timely(ledger: Ledger, command: Command) -> None:
    seen = command.expected_seq
    # A network may delay a command; one that is too old is refused.
    if command.commander and not 0 <= ledger.seq - (seen or 0) <= FRESH:
        raise TableError("STALE_COMMAND", seen=seen or 0, newest=ledger.seq)
    # A command cannot refer to a later state; only a call of the pit needs no proof of the state seen.
    if seen is None or isinstance(command.action, CallPit):
        return
    if seen > ledger.seq:
        raise TableError("STALE_COMMAND", seen=seen, newest=ledger.seq)
    if seen < ledger.fact_seq and _goes_stale(command):
        raise TableError("STALE_COMMAND", seen=seen, newest=ledger.fact_seq)


def _act(draft: Draft, command: Command, action: BesideFacts | StaffEvent, actor: str) -> None:
    match action:
        case CallPit():
            _freeze(draft, command, action, actor)
        case Resume():
            _resume(draft, command, action, actor)
        case AlertStep():
            _step_alert(draft, command, action, actor)
        case DeviceOrder():
            _order(draft, command, action, actor)
        case NameCard():
            _name_card(draft, command, action, actor)
        case BoxHandled():
            _handle_box(draft, command, action, actor)
        case Autoplay():
            raise TableError("NOT_A_SIMULATION")
        case _:
            _note_staff(draft, action, actor)


def _freeze(draft: Draft, command: Command, stop: CallPit, actor: str) -> None:
    """Stop the table; who says again why it is stopped already has nothing to add."""
    notes = [held.params for held in draft.ledger.holds if held.code == "FROZEN"]
    if (("note", stop.note),) in notes:
        return
    if len(notes) >= NOTES_MAX:
        raise TableError("NOTES_FULL", notes=NOTES_MAX)
    body = {"code": "FROZEN", "params": {"note": stop.note}}
    draft.add("held", {**body, **_proof_of(draft.ledger, command)}, actor)
    go_on_in_shadow(draft)


def _observe_command(draft: Draft, command: Command, action: Observe, actor: str) -> None:
    """Take a person's entry through the table's policy, except for a card that the pit places by hand.

    A card that a hold waits for goes through the policy too: it ends the fault. Before a ruling that moves a
    face-down card away from its place, the card becomes unread.
    """
    observation, before = action.observation, draft.mark()
    unread = _unread_first(draft.ledger.state, observation)
    if unread is not None:
        observe(draft, unread, GUARD, {}, None)
    concealed = draft.mark()
    try:
        # Past the wire's checks, from a part of the program itself, could come what no start would fold.
        parse(to_json(observation))
        proof = _proof_of(draft.ledger, command)
        if _is_by_hand(draft.ledger, observation):
            if draft.ledger.holds and command.role != "pit":
                raise TableError("TABLE_HELD", reason=draft.ledger.holds[0].code)
            observe(draft, observation, actor, proof, None)
            return
        line = line_of(observation, command.role, command.actor, draft.at_utc_us, command.second)
        adopt(
            draft,
            decide_line(draft.ledger.opening.house, draft.ledger.run, line),
            actor,
            line=line,
            proof=proof,
        )
        lay_waiting(draft)
    except TableError:
        # Where the refusal is recorded the card stays unread before it, as the entries stand.
        if draft.mark() == concealed:
            draft.rewind(before)
        raise


def _is_by_hand(ledger: Ledger, observation: Observation) -> bool:
    """Whether this is a card placed by hand that neither a hold nor a count waits for."""
    if not isinstance(observation, CardSeen) or ledger.run.rest is not None:
        return False
    return not draws(ledger.run, observation)


def _order(draft: Draft, command: Command, order: DeviceOrder, actor: str) -> None:
    draft.add("ordered", {**order._asdict(), **_proof_of(draft.ledger, command)}, actor)


def _note_staff(draft: Draft, event: StaffEvent, actor: str) -> None:
    """Record an event about people and the change of the dealer; alert the pit of a guessed PIN."""
    noted = draft.add(KINDS[type(event)], event._asdict(), actor)
    for fact in _dealer_facts(draft.ledger.dealer, event):
        observe(draft, fact, actor, {}, noted)
    if isinstance(event, PinRefused) and event.tries >= FREE_TRIES:
        take_trouble(draft, Trouble("PIN_GUESSED", (("person", event.person), ("place", event.place))), actor)


def _require_orderable(ledger: Ledger, asked: DeviceOrder, orders: Orders) -> None:
    """Raise unless the device can do it now and has answered the last order."""
    if (asked.device, asked.order) not in orders:
        raise TableError("ORDER_NOT_POSSIBLE", name=asked.device, order=asked.order)
    if asked.order in _BETWEEN_ROUNDS and _is_dealt(ledger.state):
        raise TableError("ORDER_BETWEEN_ROUNDS", order=asked.order)
    last = dict(ledger.orders).get(asked.device)
    if last is not None and last.code is None:
        raise TableError("ORDER_PENDING", name=asked.device, order=last.order)


def _is_dealt(state: TableState) -> bool:
    """Whether the round has a card on the table."""
    return bool(state.dealer.cards) or any(hand.cards for box in state.boxes for hand in box.hands)


def _resume(draft: Draft, command: Command, action: Resume, actor: str) -> None:
    ledger, without = draft.ledger, action.without
    if not ledger.holds:
        raise TableError("NOT_HELD")
    for name, state in ledger.devices:
        if state != "live" and name not in without:
            raise TableError("DEVICE_STILL_LOST", name=name)
    require_second_person(ledger, command)
    if all(held.code in PICTURE_DIFFERS for held in ledger.holds):
        raise TableError("REASON_NEEDED", hold=ledger.holds[0].code)
    beside = _beside_question(ledger)
    codes = [held.code for held in ledger.holds]
    resumed = {"codes": codes, "without": list(without), **_proof_of(draft.ledger, command)}
    if beside or any(held.round for held in ledger.holds):
        lifted = HoldsLifted(f"{command.role}:{command.actor}", "resumed", beside, command.second or None)
        line = line_of(lifted, command.role, command.actor, draft.at_utc_us, command.second)
        line = line._replace(without=without)
        decided = decide_line(ledger.opening.house, ledger.run, line)
        if beside:
            adopt(draft, decided, actor, line=line, proof=_proof_of(draft.ledger, command))
        else:
            adopt(draft, decided, actor, resumed=resumed)
    else:
        draft.add("resumed", resumed, actor)
    for aside in set_aside_bodies(ledger.holds):
        # Caused by what lifted the hold.
        draft.add("set_aside", aside, actor, draft.ledger.seq)
    lay_waiting(draft)


def _beside_question(ledger: Ledger) -> tuple[str, ...] | None:
    """Return the other holds beside a question that waits for its answer; None without both.

    An answer is refused while other holds remain: otherwise play could not be resumed.
    """
    beside = tuple(held.code for held in ledger.holds if held.code not in NEED_ANSWER | PICTURE_DIFFERS)
    return beside if beside and len(beside) < len(ledger.holds) else None


def _name_card(draft: Draft, command: Command, action: NameCard, actor: str) -> None:
    """Note which card lies there, for the camera to believe it; the hold that asked for it ends."""
    held = draft.ledger.holds
    if action.seen is not None and not any(is_doubt(hold, action) for hold in held):
        raise TableError("DOUBT_OVER", was=action.was, seen=action.seen)
    draft.add("named", {**action._asdict(), **_proof_of(draft.ledger, command)}, actor)
    if held:
        lay_waiting(draft)


def _step_alert(draft: Draft, command: Command, action: AlertStep, actor: str) -> None:
    if not any(alert.alert == action.alert for alert in draft.ledger.alerts):
        raise TableError("ALERT_UNKNOWN", alert=action.alert)
    body = {"alert": action.alert, "step": action.step, "note": action.note}
    draft.add("alert_step", {**body, **_proof_of(draft.ledger, command)}, actor, action.alert)


def _handle_box(draft: Draft, command: Command, action: BoxHandled, actor: str) -> None:
    if draft.ledger.holds:
        raise TableError("TABLE_HELD", reason=draft.ledger.holds[0].code)
    result, pay = draft.ledger.state.settlement.result, draft.ledger.pay
    done = pay.handled if pay.round == action.round else ()
    if result is None or result.round != action.round or action.box not in result.settle_order:
        raise TableError("BOX_NOT_DUE", box=action.box)
    if action.box in done:
        raise TableError("BOX_HANDLED", box=action.box)
    body = {"round": action.round, "box": action.box}
    draft.add("handled", {**body, **_proof_of(draft.ledger, command)}, actor)


def require_allowed(ledger: Ledger, command: api.Command, dealer_may_miss: frozenset[str]) -> None:
    """Raise NOT_ALLOWED where this role may not do this as the table stands; the last as `decide` has it."""
    act = _act_of_command(ledger, command.action, dealer_may_miss)
    situation = _situation_of_command(ledger, command.action)
    if allowed(command.role, act, situation) == "no":
        raise TableError("NOT_ALLOWED", role=command.role)


def _act_of_command(ledger: Ledger, action: api.Action, dealer_may_miss: frozenset[str]) -> Act:  # noqa: C901
    """Find the act that a command asks for: a case for each command."""
    match action:
        # Not `Observe(observation)`, here and below: capturing a large union takes mypy seconds.
        case Observe():
            return declared(action.observation).at_screen or act_of(ledger.state, action.observation)
        case Resume(without):
            if not without:
                return Act.RESUME
            return Act.RESUME_WITHOUT_WITNESS if dealer_may_miss.issuperset(without) else Act.RESUME_WITHOUT
        case AlertStep(step=step):
            return Act.ALERT_SEEN if step == "ack" else Act.ALERT
        case CallPit():
            return Act.CALL_PIT
        case BoxHandled():
            return Act.HANDLED
        case Autoplay():
            return Act.AUTOPLAY
        case DeviceOrder():
            return Act.ORDER
        case NameCard():
            return Act.NAME
        case _:
            _: StaffEvent = action  # The server's word on people.
            return Act.STAFF_NOTE


def _situation_of_command(ledger: Ledger, action: api.Action) -> Situation:
    """Find how the table stands for a command; a resume counts the holds that it would lift."""
    observation = action.observation if isinstance(action, api.Observe) else None
    named = observation.codes if isinstance(observation, HoldsLifted) else None
    codes = {held.code for held in ledger.holds if named is None or held.code in named}
    if codes & ADMINISTRATOR_LIFTS:
        return Situation.HELD_ADMINISTRATOR
    return situation_of(ledger.run, observation)


def require_second_person(ledger: Ledger, command: api.Command) -> None:
    """Raise SECOND_NEEDED where two people lift one of the holds, and only one resumes."""
    by = Person("pit", command.actor)
    for held in ledger.holds:
        if held.release == "two" and not is_other(by, command.second):
            raise TableError("SECOND_NEEDED", hold=held.code)


def _goes_stale(command: api.Command) -> bool:
    """Whether the meaning of the command changes when another fact arrives."""
    action = command.action
    return isinstance(action, api.Observe) and not declared(action.observation).timeless


GUARD: Final = "system:hole-guard"
_UNTURNED: Final = "UNTURNED"


def _unread_first(state: TableState, observation: Observation) -> Correct | None:
    """Return the entry that precedes a ruling which moves an unturned card; None when none is needed.

    The moved card becomes unread: its reading would show in totals, in the course of the round and in the
    count of the shoe. The test uses a round in which the card is not read, so that neither the question nor
    its answer depends on the card.
    """
    if not isinstance(observation, RULINGS) or isinstance(observation, Void):
        return None
    number = getattr(observation, "round", None) or state.book.number
    before = _round(state, number)
    card = None if before is None else unturned_card(before)
    if card is None:
        return None
    unread = Correct(card, None, None, None, GUARD, _UNTURNED, None if before is state else number)
    blind = step(state, unread).state
    ruled, notices = step(blind, observation)
    after = _round(ruled, number)
    stays = after is not None and unturned_card(after) == card
    return None if stays or any(isinstance(notice, Refused) for notice in notices) else unread


def _round(state: TableState, number: int) -> TableState | None:
    if number == state.book.number:
        return state
    return next((kept for kept in state.book.past if kept.book.number == number), None)


def _dealer_facts(dealing: str, event: StaffEvent) -> tuple[DealerSeated, ...]:
    """Return the facts of an event at a table; `dealing` is the present dealer, "" without one.

    One person deals: a new sign-in replaces the present dealer. An unused session that ends changes nothing,
    since its dealer may still be there; a disabled person deals no longer.
    """
    match event:
        case SignedIn(person=person, role="dealer", way="pin" | "card"):
            leaves = (DealerSeated(dealing, "out"),) if dealing else ()
            return () if person == dealing else (*leaves, DealerSeated(person, "in"))
        case SignedOut(person=person) | PeopleChanged(person=person, change="disabled"):
            return (DealerSeated(person, "out"),) if person == dealing else ()
        case SignedIn() | PeopleChanged() | PinRefused() | Denied() | PeopleListed():
            return ()


_HASH_BYTES: Final = 8
"""Enough to tell the acts of one day apart."""


def _proof_of(ledger: Ledger, command: Command) -> Body:
    """Return the proof of a command for its entries; {} for a device's, which has no id."""
    proof: Body = {}
    if command.command_id:
        proof["command"] = command.command_id
        if command.meaning:
            proof["meaning"] = meaning_hash(ledger, command)
    if command.second:
        proof["signed"] = [command.actor, command.second]
    return proof


def meaning_hash(ledger: Ledger, command: Command) -> str:
    """Hash who asked what; "" where that is not known.

    With the journal's own key: of a ruling on a face-down card 52 guesses would else find the card.
    """
    if not command.meaning:
        return ""
    asked = f"{command.role}:{command.actor}:{command.second}\n{command.meaning}"
    return hashlib.blake2b(asked.encode(), key=ledger.opening.key, digest_size=_HASH_BYTES).hexdigest()


class TableDevices(NamedTuple):
    """The devices of a table, none by default.

    `send_order` has one do something, as `controller.ports.Orderable` says. `card_named` tells a camera
    which card lies there, and who says so. `locks` is the shoe that is locked while the table waits, where
    the house allows it.
    """

    health: Callable[[], tuple[Health, ...]] = tuple
    send_order: Callable[[str, str], bool] | None = None
    card_named: Callable[[NameCard, str], None] = lambda _action, _who: None
    locks: str | None = None

    def orders(self) -> Orders:
        """Return the possible orders to the devices now."""
        if self.send_order is None:
            return frozenset()
        return frozenset((device.name, order) for device in self.health() for order in device.orders)

    def lock_shoe(self, draft: Draft) -> None:
        """Have the shoe locked or unlocked as the holds ask for, where it can be now."""
        order = None if self.locks is None else due_order(draft.ledger, self.locks)
        if order is not None and (self.locks, order) in self.orders():
            draft.add("ordered", {"device": self.locks, "order": order, "reason": REASON}, SYSTEM)

    def carry_out(self, draft: Draft, mono_ns: int) -> Iterator[Report]:
        """Send people's orders to devices and cameras; yield the reason of each order that failed."""
        for proposal in draft.proposals:
            body = proposal.folded.body
            if proposal.entry.kind == "ordered":
                yield from self._order(body["device"], body["order"], mono_ns)
            elif proposal.entry.kind == "named":
                self.card_named(naming_of(body), proposal.entry.actor)

    def _order(self, device: str, order: str, mono_ns: int) -> Iterator[Report]:
        """Send an order to its device; an impossible order is answered with its reason."""
        assert self.send_order is not None, "an order was decided although no device takes any"
        try:
            code = "" if self.send_order(device, order) else None
        except DeviceError as error:
            code = error.code
        if code is not None:
            yield Report(device, mono_ns, answers=(OrderAnswer(order, code),))


NO_DEVICES: Final = TableDevices()
