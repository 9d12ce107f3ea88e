"""Take a command or report: the checks of its sender, the shoe's lock."""

from itertools import zip_longest
from typing import Final, Literal

from controller.acts.catalogue import CardSeen, ChipReading, DeviceSeen, Observation, Reveal
from controller.domain import Alert, Refused, Severity, TableError
from controller.engine.state import PLAY, TableState
from controller.feed.codec import to_json
from controller.journal.entry import Body
from controller.policy import Person, TableLine, decide, go_on, hold_over
from controller.policy.holds import ABSENCE, OUT_OF_PLACE, Hold, kind_of
from controller.policy.run import Noticed
from controller.ports import Report, Trouble
from controller.runtime.api import OrderView, Params, Role
from controller.runtime.contradictions import doubt_of
from controller.runtime.draft import TABLE, Draft, RefusedByRules, adopt, close_alerts, open_alert
from controller.runtime.ledger import NO_ANSWER, Ledger, all_waiting
from controller.runtime.redaction import unturned_card
from controller.runtime.restore import SYSTEM

LockOrder = Literal["lock", "unlock"]

REASON: Final = "TABLE_HELD"
"""Why the table gives these orders, for the audit."""

_NEEDS_A_CARD: Final = "draw"
"""The way out of a hold that is the next card of the shoe."""


def due_order(ledger: Ledger, shoe: str) -> LockOrder | None:
    """Return the order that the shoe needs now; None when it needs none or has not answered yet.

    A shoe unlocked by the pit during a hold stays unlocked until the next hold, and a shoe locked by a person
    is not unlocked. A failed order is not repeated before the next hold.
    """
    last = dict(ledger.orders).get(shoe)
    if last is not None and last.code is None:
        return None
    if locks(ledger.holds):
        return None if last is not None and _settled_since(last, ledger.holds) else "lock"
    own = last is not None and (last.by, last.order) == (SYSTEM, "lock")
    return "unlock" if own and last is not None and last.code in ("", NO_ANSWER) else None


def locks(holds: tuple[Hold, ...]) -> bool:
    """Whether the table waits for a ruling that needs no card of the shoe."""
    ruled = [hold for hold in holds if not kind_of(hold).asked]
    return bool(ruled) and not any(_NEEDS_A_CARD in hold.ways for hold in ruled)


def _settled_since(last: OrderView, holds: tuple[Hold, ...]) -> bool:
    """Whether the shoe is locked, or a person has given it an order since the hold began."""
    locked = last.order == "lock" and last.code == ""
    return locked or last.at_utc_us >= min(hold.since_utc_us for hold in holds)


def _ends_alert(ledger: Ledger, device: str, trouble: Trouble) -> tuple[int, ...] | None:
    """Return the alerts that end when the shoe is unlocked by the table's own order; None otherwise.

    The pit has asked for nothing there, so the unlocking is no alert of its own.
    """
    last = dict(ledger.orders).get(device)
    if trouble.code != "SHOE_UNLOCKED" or last is None or last.by != SYSTEM:
        return None
    locked = ("SHOE_LOCKED", trouble.params)
    return tuple(alert.alert for alert in ledger.alerts if (alert.code, alert.params) == locked)


def take_report(draft: Draft, report: Report) -> None:
    """Add the entries of a device's report. During a hold its facts wait, in order, and are durable."""
    actor = f"device:{report.source}"
    for observation in report.observations:
        if isinstance(observation, DeviceSeen):
            _device(draft, observation, actor)
            continue
        # Cards and chips wait in the policy, which knows why.
        if not isinstance(observation, CardSeen | ChipReading) and (
            draft.ledger.holds or draft.ledger.waiting_count
        ):
            draft.add("waiting", to_json(observation), actor)
        else:
            _lie_on_table(draft, observation, actor, None)
    for answer in report.answers:
        draft.add("answered", {"device": report.source, **answer._asdict()}, actor)
    for trouble, card in zip_longest(report.troubles, report.cards, fillvalue=0):
        if isinstance(trouble, Trouble):
            _take_device_trouble(draft, trouble, report.source, card)


def _take_device_trouble(draft: Draft, trouble: Trouble, source: str, card: int) -> None:
    """Tell of a device's trouble; that the table's own order is undone ends the alert of it."""
    actor = f"device:{source}"
    ended = _ends_alert(draft.ledger, source, trouble)
    if ended is None:
        take_trouble(draft, trouble, actor, card)
        return
    for alert in ended:
        draft.add("alert_step", {"alert": alert, "step": "resolve", "note": ""}, actor, alert)


def take_trouble(draft: Draft, trouble: Trouble, actor: str, card: int = 0) -> None:
    """Tell the pit, once while the alert is open, and hold the table where the trouble asks for it.

    `card` is the number of the card of the round that it is about, 0 for none.
    """
    known = any((alert.code, alert.params) == (trouble.code, trouble.params) for alert in draft.ledger.alerts)
    if not known:
        severity: Severity = "critical" if trouble.hold else "warning"
        about = Alert(trouble.code, severity, draft.ledger.state.book.number, trouble.params)
        open_alert(draft, about, actor)
    doubt = doubt_of(trouble, card)
    held = [(one.code, one.params) for one in draft.ledger.holds]
    if doubt is not None and (doubt.code, doubt.params) not in held:
        # Its alert is open: the picture's own.
        decided = hold_over(draft.ledger.opening.house, draft.ledger.run, doubt, 0)
        others = tuple(effect for effect in decided.effects if not isinstance(effect, Noticed))
        adopt(draft, decided._replace(effects=others), actor, holder=actor)
    elif trouble.hold:
        hold(draft, trouble.code, trouble.params, actor)


def hold(draft: Draft, code: str, params: Params, actor: str) -> None:
    """Make the table wait, unless it already waits for the same reason; one in shadow goes on at once."""
    if not any((held.code, held.params) == (code, params) for held in draft.ledger.holds):
        draft.add("held", {"code": code, "params": dict(params)}, actor)
        go_on_in_shadow(draft)


def go_on_in_shadow(draft: Draft) -> None:
    """Resume a table in shadow after its recorded hold."""
    held = draft.ledger.holds[-1]
    if draft.ledger.opening.in_shadow:
        draft.add("released", {"code": held.code, "params": dict(held.params)}, TABLE)


def observe(draft: Draft, observation: Observation, actor: str, proof: Body, caused_by: int | None) -> None:
    """Enter a fact without the policy; raises the engine's refusal.

    `proof` is the command's proof for the entry.
    """
    if _is_early(draft.ledger.state, observation):
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


def _is_early(state: TableState, observation: Observation) -> bool:
    """Whether this reveal comes while a hand may still act; its rank does not matter."""
    return isinstance(observation, Reveal) and state.phase == PLAY and unturned_card(state) is not None


def _lie_on_table(draft: Draft, observation: Observation, actor: str, caused_by: int | None) -> None:
    """Place a device's fact. The felt wins: a fact that the rules refuse has happened nevertheless."""
    try:
        line = line_of(observation, "device", actor, draft.at_utc_us)
        decided = decide(draft.ledger.opening.house, draft.ledger.run, line)
        adopt(draft, decided, actor, line=line, cause=caused_by or 0)
    except TableError as refusal:
        what = "CARD_NOT_PLACED" if isinstance(observation, CardSeen) else "REPORT_REFUSED"
        take_trouble(draft, Trouble(what, (("code", refusal.code),)), actor)


def _device(draft: Draft, seen: DeviceSeen, actor: str) -> None:
    if dict(draft.ledger.devices).get(seen.name) == seen.state:
        return
    _lie_on_table(draft, seen, actor, None)
    if seen.state == "live":
        for absent in (*ABSENCE.values(), "WITNESS_MISSING"):
            close_alerts(draft, absent, (("name", seen.name),))
        for alert in draft.ledger.alerts:
            if alert.code in OUT_OF_PLACE and dict(alert.params).get("name") == seen.name:
                close_alerts(draft, alert.code, alert.params)
    else:
        take_trouble(draft, Trouble(ABSENCE[seen.state], (("name", seen.name),)), actor)


def lay_waiting(draft: Draft) -> None:
    """Place the facts that waited behind the holds, until one of them begins a hold."""
    arrived_first = next(iter(all_waiting(draft.ledger)), None)
    if arrived_first is not None and not draft.ledger.holds:
        adopt(draft, go_on(draft.ledger.opening.house, draft.ledger.run), arrived_first.actor)
    for arrived in all_waiting(draft.ledger):
        if draft.ledger.holds:
            return
        _lie_on_table(draft, arrived.observation, arrived.actor, arrived.seq)


EXPOSED: Final = Trouble("HOLE_CARD_EXPOSED", (), hold=True)
"""The face-down card was turned while a hand could still act: the pit decides, its rank stays hidden."""


def line_of(observation: Observation, role: Role, name: str, at_utc_us: int, signed: str = "") -> TableLine:
    """A command's or a report's observation as it comes to the policy; a device stands for the shoe.

    `signed` is the second person of the command; an entry of old names him in the observation.
    """
    person = Person("dealer", name) if role == "dealer" else Person("pit", name)
    if role in ("device", "system"):
        person = _reporter(observation, name) if role == "device" else Person("system")
    second = signed or getattr(observation, "second", None)
    return TableLine(observation, person, 0, at_utc_us // 1000, second)


def _reporter(observation: Observation, actor: str) -> Person:
    """The device behind a report: a chip source where it tells of chips, else the shoe."""
    if isinstance(observation, ChipReading):
        return Person("chips", actor.partition(":")[2])
    return Person("shoe")
