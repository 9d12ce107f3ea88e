"""What a command or a device's report leads to: journal entries, and an answer for whoever asked."""

from collections.abc import Callable
from typing import Any, Final, get_args

from controller.acts.catalogue import CardSeen, ChipReading, DeviceSeen, HoldsLifted, Observation
from controller.domain.errors import TableError
from controller.domain.notices import Alert, Refused, Severity
from controller.feed.codec import parse, to_json
from controller.journal.upcast import Body
from controller.people.staff_events import KINDS, PinRefused, StaffEvent
from controller.people.tries import FREE_TRIES
from controller.policy.lines.cards import draws
from controller.policy.state.holds import ABSENCE, OUT_OF_PLACE
from controller.ports.sources import Report, Trouble
from controller.runtime.api import (
    Accepted,
    AlertStep,
    BoxHandled,
    CallPit,
    Command,
    DeviceOrder,
    NameCard,
    Observe,
    Params,
    Rejected,
    Resume,
)
from controller.runtime.decision import enforcement
from controller.runtime.decision.command_check import (
    goes_stale,
    is_ruling,
    require_allowed,
    require_second_person,
)
from controller.runtime.decision.dealer_change import dealer_facts
from controller.runtime.decision.hole_guard import EXPOSED, GUARD, is_early, unread_first
from controller.runtime.decision.proof import meaning_hash, proof_of
from controller.runtime.decision.shoe_lock import ends_alert
from controller.runtime.ledger import Ledger, is_doubt
from controller.runtime.ledger.draft import Draft, RefusedByRules
from controller.runtime.ledger.fact_entries import all_waiting
from controller.runtime.ledger.unread import set_aside_bodies

NOTES_MAX: Final = 16
"""Different notes of people who stopped the table that are kept at once."""


Orders = frozenset[tuple[str, str]]
"""What devices can be told to do now: (device, order)."""


def decide(
    draft: Draft,
    command: Command,
    orders: Orders = frozenset(),
    dealer_may_miss: frozenset[str] = frozenset(),
) -> Accepted | Rejected:
    """Add what follows from a person's command. A refusal changes no state; the engine's are recorded.

    `dealer_may_miss` are the witnesses without which the house lets a dealer go on.
    """
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
            _act_guarded(draft, command, f"{command.role}:{command.actor}")
    except TableError as refusal:
        return Rejected(refusal.code, tuple(refusal.params.items()))
    return Accepted(draft.ledger.seq)


def take_report(draft: Draft, report: Report) -> None:
    """Add what follows from a device's report. During a hold its facts wait, in order, and are durable."""
    actor = f"device:{report.source}"
    for observation in report.observations:
        if isinstance(observation, DeviceSeen):
            _device(draft, observation, actor)
        elif isinstance(observation, CardSeen | ChipReading) and draft.ledger.opening.profiled:
            _lie_on_table(draft, observation, actor, None)
        elif draft.ledger.holds or draft.ledger.waiting_count:
            draft.add("waiting", to_json(observation), actor)
        else:
            _lie_on_table(draft, observation, actor, None)
    for answer in report.answers:
        draft.add("answered", {"device": report.source, **answer._asdict()}, actor)
    for trouble in report.troubles:
        _take_device_trouble(draft, trouble, report.source)


def _take_device_trouble(draft: Draft, trouble: Trouble, source: str) -> None:
    """Tell of a device's trouble; that the table's own order is undone ends the alert of it."""
    actor = f"device:{source}"
    ended = ends_alert(draft.ledger, source, trouble)
    if ended is None:
        take_trouble(draft, trouble, actor)
        return
    for alert in ended:
        draft.add("alert_step", {"alert": alert, "step": "resolve", "note": ""}, actor, alert)


def take_trouble(draft: Draft, trouble: Trouble, actor: str) -> None:
    """Tell the pit, once while the alert is open, and hold the table where the trouble asks for it."""
    known = any((alert.code, alert.params) == (trouble.code, trouble.params) for alert in draft.ledger.alerts)
    if not known:
        severity: Severity = "critical" if trouble.hold else "warning"
        about = Alert(trouble.code, severity, draft.ledger.state.book.number, trouble.params)
        enforcement.open_alert(draft, about, actor)
    if trouble.hold:
        hold(draft, trouble.code, trouble.params, actor)


def hold(draft: Draft, code: str, params: Params, actor: str) -> None:
    """Make the table wait, unless it already waits for the same reason; one in shadow goes on at once."""
    if not any((held.code, held.params) == (code, params) for held in draft.ledger.holds):
        draft.add("held", {"code": code, "params": dict(params)}, actor)
        go_on_in_shadow(draft)


def go_on_in_shadow(draft: Draft) -> None:
    """Let a table in shadow go on over what it has just noted as a reason to stop."""
    held = draft.ledger.holds[-1]
    if draft.ledger.opening.in_shadow:
        draft.add("released", {"code": held.code, "params": dict(held.params)}, enforcement.TABLE)


def _require_timely(ledger: Ledger, command: Command) -> None:
    seen = command.expected_seq
    # Nobody can have looked at what has not happened; only a stop of the table asks for no proof of sight.
    if seen is None or isinstance(command.action, CallPit):
        return
    if seen > ledger.seq:
        raise TableError("STALE_COMMAND", seen=seen, newest=ledger.seq)
    if seen < ledger.fact_seq and goes_stale(command):
        raise TableError("STALE_COMMAND", seen=seen, newest=ledger.fact_seq)


def _act_guarded(draft: Draft, command: Command, actor: str) -> None:
    """Act; before a ruling that takes a face-down card away from its place the card becomes unread."""
    before = draft.mark()
    if isinstance(command.action, Observe):
        unread = unread_first(draft.ledger.state, command.action.observation)
        if unread is not None:
            _observe(draft, unread, GUARD, {}, None)
    concealed = draft.mark()
    try:
        _act(draft, command, actor)
    except TableError:
        if draft.mark() == concealed:
            draft.rewind(before)
        raise


def _act(draft: Draft, command: Command, actor: str) -> None:
    act = _ACTS.get(type(command.action))
    if act is None:
        raise TableError("NOT_A_SIMULATION")
    act(draft, command, command.action, actor)


def _freeze(draft: Draft, command: Command, stop: CallPit, actor: str) -> None:
    """Stop the table; who says again why it is stopped already has nothing to add."""
    notes = [held.params for held in draft.ledger.holds if held.code == "FROZEN"]
    if (("note", stop.note),) in notes:
        return
    if len(notes) >= NOTES_MAX:
        raise TableError("NOTES_FULL", notes=NOTES_MAX)
    body = {"code": "FROZEN", "params": {"note": stop.note}}
    draft.add("held", {**body, **proof_of(draft.ledger, command)}, actor)
    go_on_in_shadow(draft)


def _observe_command(draft: Draft, command: Command, action: Observe, actor: str) -> None:
    """Take what a person tells: through the table's policy, but for a card that the pit lays by hand.

    One that a hold waits for goes through it all the same: it mends the fault.
    """
    observation = action.observation
    # Past the wire's checks, from a part of the program itself, could come what no start would fold.
    parse(to_json(observation))
    if draft.ledger.opening.profiled and not _is_by_hand(draft.ledger, observation):
        told = enforcement.line_of(observation, command.role, command.actor, draft.at_utc_us, command.second)
        enforcement.take(draft, told, actor, proof=proof_of(draft.ledger, command))
        _lay_waiting(draft)
        return
    if draft.ledger.holds and not is_ruling(command):
        raise TableError("TABLE_HELD", reason=draft.ledger.holds[0].code)
    _observe(draft, observation, actor, proof_of(draft.ledger, command), None)


def _is_by_hand(ledger: Ledger, observation: Observation) -> bool:
    """Whether this is a card laid by hand that no hold waits for, and no count of the shoe's rest."""
    if not isinstance(observation, CardSeen) or ledger.run.rest is not None:
        return False
    return not draws(ledger.run, observation)


def _order(draft: Draft, command: Command, order: DeviceOrder, actor: str) -> None:
    draft.add("ordered", {**order._asdict(), **proof_of(draft.ledger, command)}, actor)


def _note_staff(draft: Draft, _: Command, event: StaffEvent, actor: str) -> None:
    """Write down what happened to people, and who deals now; tell the pit of a PIN that is guessed."""
    noted = draft.add(KINDS[type(event)], event._asdict(), actor)
    for fact in dealer_facts(draft.ledger.dealer, event):
        _observe(draft, fact, actor, {}, noted)
    if isinstance(event, PinRefused) and event.tries >= FREE_TRIES:
        take_trouble(draft, Trouble("PIN_GUESSED", (("person", event.person), ("place", event.place))), actor)


def _require_orderable(ledger: Ledger, asked: DeviceOrder, orders: Orders) -> None:
    """Raise unless the device can do it now and has answered the last order."""
    if (asked.device, asked.order) not in orders:
        raise TableError("ORDER_NOT_POSSIBLE", name=asked.device, order=asked.order)
    last = dict(ledger.orders).get(asked.device)
    if last is not None and last.code is None:
        raise TableError("ORDER_PENDING", name=asked.device, order=last.order)


def _observe(draft: Draft, observation: Observation, actor: str, proof: Body, caused_by: int | None) -> None:
    """Put a fact on the table with everything the engine says about it; raises what the engine refuses.

    `proof` is what its entry says of the command.
    """
    if is_early(draft.ledger.state, observation):
        take_trouble(draft, EXPOSED, actor)
        return
    body = to_json(observation)
    fact = draft.propose("fact", {**body, **proof}, actor, caused_by)
    for notice in fact.folded.notices:
        if isinstance(notice, Refused):
            params = dict(notice.params)
            draft.add("refused", {"obs": body, "code": notice.code, "params": params}, actor, caused_by)
            raise RefusedByRules(notice.code, **params)
    with draft.whole_or_nothing():
        draft.take_fact(fact)


def _lie_on_table(draft: Draft, observation: Observation, actor: str, caused_by: int | None) -> None:
    """Put a device's fact on the table. The felt wins: what the rules refuse has happened all the same."""
    try:
        if draft.ledger.opening.profiled:
            told = enforcement.line_of(observation, "device", actor, draft.at_utc_us)
            enforcement.take(draft, told, actor, cause=caused_by or 0)
        else:
            _observe(draft, observation, actor, {}, caused_by)
    except TableError as refusal:
        what = "CARD_NOT_PLACED" if isinstance(observation, CardSeen) else "REPORT_REFUSED"
        take_trouble(draft, Trouble(what, (("code", refusal.code),)), actor)


def _device(draft: Draft, seen: DeviceSeen, actor: str) -> None:
    if dict(draft.ledger.devices).get(seen.name) == seen.state:
        return
    _lie_on_table(draft, seen, actor, None)
    if seen.state == "live":
        for absent in (*ABSENCE.values(), "WITNESS_MISSING"):
            enforcement.close_alerts(draft, absent, (("name", seen.name),))
        for alert in draft.ledger.alerts:
            if alert.code in OUT_OF_PLACE and dict(alert.params).get("name") == seen.name:
                enforcement.close_alerts(draft, alert.code, alert.params)
    else:
        take_trouble(draft, Trouble(ABSENCE[seen.state], (("name", seen.name),)), actor)


def _resume(draft: Draft, command: Command, action: Resume, actor: str) -> None:
    ledger, without = draft.ledger, action.without
    if not ledger.holds:
        raise TableError("NOT_HELD")
    for name, state in ledger.devices:
        if state != "live" and name not in without:
            raise TableError("DEVICE_STILL_LOST", name=name)
    require_second_person(ledger, command)
    codes = [held.code for held in ledger.holds]
    resumed = {"codes": codes, "without": list(without), **proof_of(draft.ledger, command)}
    if any(held.round for held in ledger.holds):
        lifted = HoldsLifted(f"{command.role}:{command.actor}", "resumed", None, command.second or None)
        told = enforcement.line_of(lifted, command.role, command.actor, draft.at_utc_us, command.second)
        enforcement.resume(draft, told._replace(without=without), actor, resumed)
    else:
        draft.add("resumed", resumed, actor)
    for aside in set_aside_bodies(ledger.holds):
        # Caused by what lifted the hold.
        draft.add("set_aside", aside, actor, draft.ledger.seq)
    _lay_waiting(draft)


def _lay_waiting(draft: Draft) -> None:
    """Put on the table what waited behind the holds, until something of it holds again."""
    arrived_first = next(iter(all_waiting(draft.ledger)), None)
    if draft.ledger.opening.profiled and arrived_first is not None and not draft.ledger.holds:
        enforcement.lay_waiting(draft, arrived_first.actor)
    for arrived in all_waiting(draft.ledger):
        if draft.ledger.holds:
            return
        _lie_on_table(draft, arrived.observation, arrived.actor, arrived.seq)


def _name_card(draft: Draft, command: Command, action: NameCard, actor: str) -> None:
    """Note which card lies there, for the camera to believe it; the hold that asked for it ends."""
    held = draft.ledger.holds
    if action.seen is not None and not any(is_doubt(hold, action) for hold in held):
        raise TableError("DOUBT_OVER", was=action.was, seen=action.seen)
    draft.add("named", {**action._asdict(), **proof_of(draft.ledger, command)}, actor)
    if held:
        _lay_waiting(draft)


def _step_alert(draft: Draft, command: Command, action: AlertStep, actor: str) -> None:
    if not any(alert.alert == action.alert for alert in draft.ledger.alerts):
        raise TableError("ALERT_UNKNOWN", alert=action.alert)
    body = {"alert": action.alert, "step": action.step, "note": action.note}
    draft.add("alert_step", {**body, **proof_of(draft.ledger, command)}, actor, action.alert)


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
    draft.add("handled", {**body, **proof_of(draft.ledger, command)}, actor)


_ACTS: Final[dict[type, Callable[[Draft, Command, Any, str], None]]] = {
    Observe: _observe_command,
    CallPit: _freeze,
    Resume: _resume,
    AlertStep: _step_alert,
    DeviceOrder: _order,
    NameCard: _name_card,
    BoxHandled: _handle_box,
    **dict.fromkeys(get_args(StaffEvent), _note_staff),
}
"""What each command does; none but the simulation's own is missing."""
