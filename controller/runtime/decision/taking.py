"""What a device's report leads to, and how a decision of the policy becomes journal entries."""

from itertools import zip_longest
from typing import Final, assert_never

from controller.acts.catalogue import CardSeen, ChipReading, DeviceSeen, Observation, Paid, Reveal
from controller.domain.errors import TableError
from controller.domain.notices import Alert, Refused, Severity
from controller.engine.constants import PLAY
from controller.engine.state import TableState
from controller.engine.table import step
from controller.feed.codec import to_json
from controller.journal.upcast import Body
from controller.policy import Decided, Doubt, Person, TableLine, go_on
from controller.policy import decide as decide_line
from controller.policy import hold_over as doubt_outcome
from controller.policy.lines.late_bets import is_same_bet
from controller.policy.state.effects import (
    Alerted,
    CardKept,
    Concluded,
    Effect,
    Held,
    Inferred,
    KeptRuled,
    PayoutNoted,
    Refusal,
    Released,
    Took,
)
from controller.policy.state.holds import ABSENCE, OUT_OF_PLACE, Hold, kind_of
from controller.policy.state.line_person import SYSTEM
from controller.policy.state.payouts import Payout
from controller.policy.state.rounds import TOO_MANY, names_unturned
from controller.ports.sources import Report, Trouble
from controller.runtime.api import Params, Role
from controller.runtime.contradictions import doubt_of
from controller.runtime.decision.shoe_lock import ends_alert
from controller.runtime.ledger import DecidedFact, Ledger
from controller.runtime.ledger.draft import Draft, RefusedByRules
from controller.runtime.ledger.fact_entries import all_waiting
from controller.runtime.redaction import unturned_card


def take_report(draft: Draft, report: Report) -> None:
    """Add what follows from a device's report. During a hold its facts wait, in order, and are durable."""
    actor = f"device:{report.source}"
    for observation in report.observations:
        if isinstance(observation, DeviceSeen):
            _device(draft, observation, actor)
            continue
        # Cards and chips wait in the policy, which knows why.
        policed = draft.ledger.opening.profiled
        waits = not (policed and isinstance(observation, CardSeen | ChipReading))
        if waits and (draft.ledger.holds or draft.ledger.waiting_count):
            draft.add("waiting", to_json(observation), actor)
        else:
            lie_on_table(draft, observation, actor, None)
    for answer in report.answers:
        draft.add("answered", {"device": report.source, **answer._asdict()}, actor)
    for trouble, card in zip_longest(report.troubles, report.cards, fillvalue=0):
        if isinstance(trouble, Trouble):
            _take_device_trouble(draft, trouble, report.source, card)


def _take_device_trouble(draft: Draft, trouble: Trouble, source: str, card: int) -> None:
    """Tell of a device's trouble; that the table's own order is undone ends the alert of it."""
    actor = f"device:{source}"
    ended = ends_alert(draft.ledger, source, trouble)
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
    doubt = doubt_of(trouble, card) if draft.ledger.opening.profiled else None
    held = [(one.code, one.params) for one in draft.ledger.holds]
    if doubt is not None and (doubt.code, doubt.params) not in held:
        hold_over_picture(draft, doubt, actor)
    elif trouble.hold:
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
        draft.add("released", {"code": held.code, "params": dict(held.params)}, TABLE)


def observe(draft: Draft, observation: Observation, actor: str, proof: Body, caused_by: int | None) -> None:
    """Put a fact on the table with everything the engine says about it; raises what the engine refuses.

    `proof` is what its entry says of the command.
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
    """Whether this would turn the card while a hand may still act; what rank comes with it is no matter."""
    return isinstance(observation, Reveal) and state.phase == PLAY and unturned_card(state) is not None


def lie_on_table(draft: Draft, observation: Observation, actor: str, caused_by: int | None) -> None:
    """Put a device's fact on the table. The felt wins: what the rules refuse has happened all the same."""
    try:
        if draft.ledger.opening.profiled:
            line = line_of(observation, "device", actor, draft.at_utc_us)
            take(draft, line, actor, cause=caused_by or 0)
        else:
            observe(draft, observation, actor, {}, caused_by)
    except TableError as refusal:
        what = "CARD_NOT_PLACED" if isinstance(observation, CardSeen) else "REPORT_REFUSED"
        take_trouble(draft, Trouble(what, (("code", refusal.code),)), actor)


def _device(draft: Draft, seen: DeviceSeen, actor: str) -> None:
    if dict(draft.ledger.devices).get(seen.name) == seen.state:
        return
    lie_on_table(draft, seen, actor, None)
    if seen.state == "live":
        for absent in (*ABSENCE.values(), "WITNESS_MISSING"):
            close_alerts(draft, absent, (("name", seen.name),))
        for alert in draft.ledger.alerts:
            if alert.code in OUT_OF_PLACE and dict(alert.params).get("name") == seen.name:
                close_alerts(draft, alert.code, alert.params)
    else:
        take_trouble(draft, Trouble(ABSENCE[seen.state], (("name", seen.name),)), actor)


def lay_waiting(draft: Draft) -> None:
    """Put on the table what waited behind the holds, until something of it holds again."""
    arrived_first = next(iter(all_waiting(draft.ledger)), None)
    if draft.ledger.opening.profiled and arrived_first is not None and not draft.ledger.holds:
        _lay_cards(draft, arrived_first.actor)
    for arrived in all_waiting(draft.ledger):
        if draft.ledger.holds:
            return
        lie_on_table(draft, arrived.observation, arrived.actor, arrived.seq)


EXPOSED: Final = Trouble("HOLE_CARD_EXPOSED", (), hold=True)
"""The face-down card was turned while a hand could still act: the pit decides, its rank stays hidden."""
TABLE: Final = "system:table"
RESUMED: Final = "resumed"
MENDED: Final = "MENDED"
"""Why the table itself closes an alert."""

OF_THE_FELT: Final = frozenset(
    {"CAMERA_UNREAD", "CAMERA_UNREAD_DEALER", "CAMERA_UNSURE", "CAMERA_UNSURE_DEALER"}
)
"""What a camera cannot make out on the felt: over when the round is, and its cards are gone."""

_OF_THE_ENTRY: Final = frozenset(("code", "params", "since_utc_us", "by"))


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


def take(draft: Draft, line: TableLine, actor: str, *, proof: Body | None = None, cause: int = 0) -> None:
    """Let the policy take a line and write down what follows, as `answer`. Raises what it refuses."""
    first = next(iter(answer(draft, line, actor, proof=proof, cause=cause).effects), None)
    if isinstance(first, Refusal):
        raise RefusedByRules(first.code, **dict(first.params))


def answer(
    draft: Draft, line: TableLine, actor: str, *, proof: Body | None = None, cause: int = 0
) -> Decided:
    """Let the policy take a line and write down what follows; also a refusal is an answer.

    `proof` is what the line's entry says of its command; `cause` is the entry of a fact that has waited.
    """
    number = draft.ledger.state.book.number
    decided = decide_line(draft.ledger.opening.house, draft.ledger.run, line)
    effects = decided.effects
    if effects and isinstance(effects[0], Refusal):
        return decided._replace(effects=_refused(draft, line, effects[0], effects[1:], actor))
    for effect in effects:
        if isinstance(effect, Took) and effect.by == SYSTEM != line.by:
            # In shadow the table itself goes on first; the command is about what follows.
            _write(draft, effect, TABLE, {}, cause)
            continue
        _write(draft, effect, actor, proof or {}, cause)
        if isinstance(effect, Took):
            proof = None
    # Only once the table was cleared: until then somebody can still look at what lies there.
    if draft.ledger.state.book.number > number:
        _close_cleared(draft)
    return decided


def _close_cleared(draft: Draft) -> None:
    """Resolve what was wrong with cards that no longer lie there: nobody can look at them any more."""
    held = {(hold.code, hold.params) for hold in draft.ledger.holds}
    for alert in draft.ledger.alerts:
        if alert.code in OF_THE_FELT and (alert.code, alert.params) not in held:
            close_alerts(draft, alert.code, alert.params)


def hold_over(draft: Draft, doubt: Doubt) -> Decided:
    """Hold over what two witnesses say differently."""
    decided = doubt_outcome(draft.ledger.opening.house, draft.ledger.run, doubt, 0)
    for effect in decided.effects:
        _write(draft, effect, TABLE, {}, 0)
    return decided


def hold_over_picture(draft: Draft, doubt: Doubt, actor: str) -> None:
    """Hold over a picture that shows another card; the alert of it was opened by whoever reports it."""
    for effect in doubt_outcome(draft.ledger.opening.house, draft.ledger.run, doubt, 0).effects:
        if isinstance(effect, Held):
            draft.add("held", {**_body(effect.hold), "about": _about(effect.hold)}, actor)
        elif isinstance(effect, Released):
            draft.add("released", _body(effect.hold), TABLE)


def resume(draft: Draft, line: TableLine, actor: str, resumed: dict[str, object]) -> None:
    """Lift every hold as the profile has it; `resumed` is the body of the entry that says so."""
    effects = decide_line(draft.ledger.opening.house, draft.ledger.run, line).effects
    noted = False
    for effect in effects:
        if isinstance(effect, Refusal):
            raise TableError(effect.code, **dict(effect.params))
        if not isinstance(effect, Released):
            _write(draft, effect, actor, {}, 0)
        elif not noted:
            draft.add(RESUMED, resumed, actor)
            noted = True


def _lay_cards(draft: Draft, actor: str) -> None:
    """Lay the cards that have waited, where nothing holds any more."""
    for effect in go_on(draft.ledger.opening.house, draft.ledger.run).effects:
        _write(draft, effect, actor, {}, 0)


def close_alerts(draft: Draft, code: str, params: Params) -> None:
    """Resolve the alerts of a cause that is mended; nobody has to."""
    for alert in draft.ledger.alerts:
        if (alert.code, alert.params) == (code, params):
            draft.add(
                "alert_step", {"alert": alert.alert, "step": "resolve", "note": MENDED}, TABLE, alert.alert
            )


def _refused(
    draft: Draft, line: TableLine, refusal: Refusal, alerted: tuple[Effect, ...], actor: str
) -> tuple[Effect, ...]:
    """What follows: what the rules forbid is recorded, as evidence, and the pit alerted once."""
    params = dict(refusal.params)
    _, notices = step(draft.ledger.state, line.observation)
    if any(isinstance(notice, Refused) and notice.code == refusal.code for notice in notices):
        obs = to_json(line.observation)
        draft.add("refused", {"obs": obs, "code": refusal.code, "params": params}, actor)
    new = [one for one in alerted if isinstance(one, Alerted) and not _is_open(draft.ledger, one.alert)]
    for effect in new:
        open_alert(draft, effect.alert)
    return (refusal, *new)


def _is_open(ledger: Ledger, alert: Alert) -> bool:
    """Whether the pit has the alert of this late bet already and has not resolved it."""
    return any(
        is_same_bet(alert, Alert(known.code, alert.severity, known.round, known.params))
        for known in ledger.alerts
    )


def _write(  # noqa: C901  # a case for each effect
    draft: Draft, effect: Effect, actor: str, proof: Body, cause: int
) -> None:
    """Put what follows from a decision into the journal: a case for each of it."""
    match effect:
        case Took():
            _took(draft, effect, actor, proof, cause)
        case Alerted(alert=alert):
            open_alert(draft, alert)
        case Held(hold=hold):
            # All that some acts lead to: sent again after an answer was lost, they must not be done again.
            _hold(draft, hold, proof)
        case Released():
            _release(draft, effect, actor)
        case CardKept(kept=kept, mark=mark):
            if not mark:  # A card that waits already is in the journal.
                doubt = {"unclear": True} if kept.unclear else {}
                draft.add("waiting", to_json(kept.card) | doubt, actor)
        case KeptRuled(kept=kept, ruling=ruling):
            ruled = {"waiting": kept.mark, "card": to_json(kept.card), "ruling": to_json(ruling)}
            draft.add("ruled", {**ruled, **proof}, actor, kept.mark)
        case Inferred(what=what, box=box, hand=hand):
            draft.add("inferred", {"what": what, "box": box, "hand": hand}, TABLE)
        case PayoutNoted(payout=payout):
            _payout(draft, payout, actor)
        case Concluded() | Refusal():
            return  # A result is written beside its fact; what is refused is answered.
        case _:
            assert_never(effect)


def _release(draft: Draft, released: Released, actor: str) -> None:
    """End a hold, and the alert of a fault that is mended; one in shadow stands, whatever it was."""
    hold = released.hold
    if draft.ledger.opening.in_shadow:
        draft.add("released", _body(hold), TABLE)
        return
    # Without it the next card would hold again over what somebody has let stand.
    stands = {"waived": True} if released.resumed and kind_of(hold).stays else {}
    draft.add("released", _body(hold) | stands, actor)
    close_alerts(draft, hold.code, hold.params)


def _hold(draft: Draft, hold: Hold, proof: Body) -> None:
    """Begin a hold, but for one that would tell by waiting what lay face down: surveillance has its alert."""
    if not (hold.code in TOO_MANY and names_unturned(draft.ledger.state, hold.params)):
        draft.add("held", {**_body(hold), "about": _about(hold), **proof}, TABLE)


def _took(draft: Draft, took: Took, actor: str, proof: Body, cause: int) -> None:
    """Put a fact into the journal, with what led to it."""
    caused_by = (took.mark if took.kept else cause) or None
    if isinstance(took.observation, Paid) and took.observation.how == "measured":
        # It follows from what a chip source has counted, whoever let the table come so far.
        actor, proof, caused_by = _counter(actor), {}, _last_fact(draft)
    decided = DecidedFact(took.observation, took.step)
    draft.take_fact(draft.propose_decided(decided, proof, actor, caused_by))


def _counter(actor: str) -> str:
    """Name who has counted a payout: the device that reports it, or whichever did before."""
    return actor if actor.startswith("device:") else "device:chips"


def _payout(draft: Draft, payout: Payout, actor: str) -> None:
    """Put a payout into the books: what was due, what was given, how that is known, and by whom."""
    by = {"computed": TABLE, "measured": _counter(actor)}.get(payout.how, actor)
    body = {**payout._asdict(), "difference": payout.difference, "by": by}
    draft.add("payout", body, by, _last_fact(draft))


def _last_fact(draft: Draft) -> int | None:
    """The sequence of the newest fact that is being thought out: what follows names it as its cause."""
    for back, proposal in enumerate(reversed(draft.proposals)):
        if proposal.entry.kind == "fact":
            return draft.ledger.seq - back
    return None


def open_alert(draft: Draft, alert: Alert, actor: str = TABLE) -> None:
    """Open an alert over what a device, or the policy itself, has noticed."""
    draft.add("trouble", alert._asdict() | {"params": dict(alert.params)}, actor)


def _body(hold: Hold) -> dict[str, object]:
    return {"code": hold.code, "params": dict(hold.params)}


def _about(hold: Hold) -> dict[str, object]:
    """What a hold says beside its code and parameters; since when and by whom, its entry says."""
    fields = {**hold._asdict(), "ways": list(hold.ways)}
    return {name: value for name, value in fields.items() if name not in _OF_THE_ENTRY}
