"""The fold of entries, and the draft of entries that are to be written.

The fold is pure, and the same live and after a restart. Each entry of a draft is proved as soon as it is
proposed: it is encoded as it will be stored, and folded. A fact that the policy has decided is adopted with
the state that it was decided to; of any other entry the very bytes are read back. Nothing of a draft is on
disk yet.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, NamedTuple, assert_never

from controller.acts.catalogue import (
    RULINGS,
    Bet,
    CardSeen,
    ChipReading,
    Correct,
    DealerSeated,
    DeviceSeen,
    Freeze,
    Message,
    Observation,
    Paid,
    Written,
)
from controller.domain import Adjusted, Alert, Disputed, JournalError, Notice, Refused, Settled, TableError
from controller.engine import step
from controller.feed.codec import parse, to_json
from controller.feed.replay import notice_json
from controller.journal.entry import GENESIS, VERSIONS, Body, Entry, NewEntry, body_of, require_writable
from controller.policy import Decided, TableLine
from controller.policy.everyday import is_same_bet
from controller.policy.holds import TOO_MANY, Hold, kind_of, names_unturned
from controller.policy.line import SYSTEM
from controller.policy.money import Payout, slip_after
from controller.policy.run import (
    CardKept,
    Effect,
    Held,
    Inferred,
    Noticed,
    PayoutNoted,
    Refusal,
    Released,
    Took,
    with_fact,
)
from controller.runtime.api import Params
from controller.runtime.carrying import alerted, carried, stepped, with_message
from controller.runtime.ledger import (
    Ledger,
    Waiting,
    accepted_commands,
    adopted,
    handled,
    held,
    named,
    order_answered,
    ordered,
    payout,
    people_noted,
    pin_refused,
    released,
    resumed,
    signed_in,
    started,
    with_devices,
    with_waiting,
)
from controller.runtime.redaction import is_secret

COMMAND_KEYS: Final = frozenset(("command", "meaning", "signed"))
"""What an entry says of the command that led to it, beside its own fields."""


def feed_object(fact: Body) -> Body:
    """Give the observation of a fact's body as the feed format writes it."""
    return {key: value for key, value in fact.items() if key not in COMMAND_KEYS}


class Folded(NamedTuple):
    """The ledger after an entry, and the entry's body in the present form.

    For a fact also the observation and the engine's notices.
    """

    ledger: Ledger
    body: Body
    observation: Observation | None = None
    notices: tuple[Notice, ...] = ()


def fold(ledger: Ledger, entry: Entry) -> Folded:
    """Apply the next entry: one look at its bytes and, for a fact, one step of the engine.

    Kinds that are evidence only move `seq`. Raises `JournalError` for an entry of a later program or one
    that is not JSON, `ConfigError` for an observation that cannot be read.
    """
    return fold_read(ledger, entry, body_of(entry))


def fold_read(ledger: Ledger, entry: Entry, body: Body, decided: Took | None = None) -> Folded:
    """Fold an entry whose body was read before.

    `decided`: the fact as decided before the write, so that nothing is parsed or computed twice.
    """
    observation: Observation | None = None
    notices: tuple[Notice, ...] = ()
    if entry.kind == "fact":
        observation = parse(feed_object(body)) if decided is None else decided.observation
        ledger, notices = _after_fact(ledger, entry, observation, decided)
    elif (change := CHANGES[entry.kind]) is not None:
        ledger = change(ledger, entry, body)
    # Any entry of a command answers a repetition of that command.
    return Folded(
        ledger._replace(
            seq=entry.seq, at_utc_us=entry.at_utc_us, answered=accepted_commands(ledger, entry, body)
        ),
        body,
        observation,
        notices,
    )


def _after_fact(
    ledger: Ledger, entry: Entry, observation: Observation, decided: Took | None
) -> tuple[Ledger, tuple[Notice, ...]]:
    """Apply a fact with the engine; return the ledger and the engine's notices."""
    number, t_ms = ledger.state.book.number, entry.at_utc_us // 1000
    # The very same state, not an equal one: a fault that was let stand in between has made another.
    if decided is not None and decided.before is ledger.state:
        taken = decided.step
    else:
        taken = step(ledger.state, observation)
    ledger = _without_waiting(ledger, entry.caused_by)
    came = isinstance(observation, CardSeen) and entry.caused_by is None
    run = with_fact(ledger.run, observation, taken.state, t_ms if came else ledger.run.last_card_ms)
    slip = slip_after(run.slip, observation, t_ms)
    run = run if slip is run.slip else replace(run, slip=slip)
    return _noted(ledger._replace(run=run), entry, observation, number), taken.notices


def _noted(ledger: Ledger, entry: Entry, observation: Observation, before: int) -> Ledger:
    """Record a fact's effects beside the engine's state; `before` is the round of its arrival."""
    if isinstance(observation, DeviceSeen):
        known = {**dict(ledger.devices), observation.name: observation.state}
        return with_devices(ledger, tuple(known.items()))
    if isinstance(observation, Message):
        return with_message(ledger, entry, observation)
    if isinstance(observation, ChipReading | Freeze | Written):
        return ledger
    if isinstance(observation, DealerSeated):
        # No decision becomes stale: the table has not changed.
        return ledger._replace(dealer=_dealing(ledger.dealer, observation))
    ledger = _with_unturned(ledger, observation, before)
    if isinstance(observation, RULINGS) or ledger.state.book.number != before:
        ledger = ledger._replace(moved_seq=entry.seq)
    return ledger if isinstance(observation, Bet) else ledger._replace(fact_seq=entry.seq)


def _dealing(before: str, seated: DealerSeated) -> str:
    if seated.at == "in":
        return seated.id
    return "" if seated.id == before else before


def _with_unturned(ledger: Ledger, observation: Observation, before: int) -> Ledger:
    """Record a round whose face-down card is not turned at its end, or becomes unread."""
    state = ledger.state
    if state.book.number != before and any(is_secret(closed) for closed in state.book.past.latest(1)):
        return ledger._replace(unturned=ledger.unturned | {before})
    if isinstance(observation, Correct) and observation.rank is None:
        return ledger._replace(unturned=ledger.unturned | {observation.round or before})
    return ledger


def waiting(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Keep a device's observation during a hold; for a card also the question about it."""
    ledger = with_waiting(ledger, Waiting(entry.seq, entry.actor, parse(body)))
    run, t_ms = ledger.run, entry.at_utc_us // 1000
    if not run.kept or run.kept[-1].mark != entry.seq:
        return ledger
    gap_ms = None if run.last_card_ms is None else t_ms - run.last_card_ms
    kept = run.kept[-1]._replace(gap_ms=gap_ms, unclear=body.get("unclear", False))
    return ledger._replace(run=replace(run, kept=(*run.kept[:-1], kept), last_card_ms=t_ms))


def ruled(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Keep a waiting card as the pit has ruled that it will be laid."""
    card, moved = parse(body["card"]), body["ruling"]["obs"] == "move"
    assert isinstance(card, CardSeen), "nothing but a card is ruled on while it waits"
    kept = [
        one._replace(card=card, ruled=moved or one.ruled) if one.mark == body["waiting"] else one
        for one in ledger.run.kept
    ]
    return ledger._replace(run=replace(ledger.run, kept=tuple(kept)))


def refused(ledger: Ledger, entry: Entry, _body: Body) -> Ledger:
    """Let go of a kept observation that was refused when its turn came."""
    return _without_waiting(ledger, entry.caused_by)


def _without_waiting(ledger: Ledger, seq: int | None) -> Ledger:
    """Return the ledger without the item that waited as this entry."""
    if not ledger.waiting_count:
        return ledger
    kept = tuple([one for one in ledger.run.kept if one.mark != seq])
    others = tuple([one for one in ledger.waiting if one.seq != seq])
    return ledger._replace(run=replace(ledger.run, kept=kept), waiting=others)


_UNCHANGED: Final = (
    *("opened", "settled", "adjusted", "disputed", "inferred", "set_aside", "commanded", "signed_out"),
    *("denied", "day_ended"),
)
CHANGES: Final[dict[str, Callable[[Ledger, Entry, Body], Ledger] | None]] = {
    **dict.fromkeys(_UNCHANGED),
    "adopted": adopted,
    "started": started,
    "held": held,
    "resumed": resumed,
    "released": released,
    "waiting": waiting,
    "ruled": ruled,
    "refused": refused,
    "alert": alerted,
    "trouble": alerted,
    "alert_step": stepped,
    "handled": handled,
    "payout": payout,
    "named": named,
    "ordered": ordered,
    "answered": order_answered,
    "signed_in": signed_in,
    "pin_refused": pin_refused,
    "people": people_noted,
    "people_changed": people_noted,
    "carried": carried,
}
"""What each kind of entry but a fact means to the ledger; None: nothing that the table goes by."""


def encoded(body: Body) -> bytes:
    """Write a body as compact UTF-8 JSON, keys in the order given."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _proved(kind: str, body: Body) -> bytes:
    """Write a body, or raise `JournalError` ENTRY_UNWRITABLE where JSON or UTF-8 has no room for it."""
    try:
        return encoded(body)
    except (RecursionError, TypeError, ValueError) as error:
        raise JournalError("ENTRY_UNWRITABLE", kind=kind) from error


class RefusedByRules(TableError):
    """A fact is refused; the entry that says so stays."""


class Proposal(NamedTuple):
    """An entry that has been proved and not been taken yet."""

    entry: NewEntry
    folded: Folded


def evidence_of(notice: Notice) -> tuple[str, Body]:
    """The kind and the body of the entry that stores a notice of the engine as evidence."""
    match notice:
        case Alert():
            kind = "alert"
        case Settled():
            kind = "settled"
        case Adjusted():
            kind = "adjusted"
        case Disputed():
            kind = "disputed"
        case Refused():
            kind = "refused"
    return kind, notice_json(notice)


DraftMark = tuple[int, Ledger]
"""A place in a draft to come back to: how many proposals it had taken, and its ledger."""


class Draft:
    """The ledger as it will be, and the entries that lead there."""

    def __init__(self, ledger: Ledger, at_utc_us: int, *, written: bool = True) -> None:
        """Begin at a durable ledger; every entry gets the time `at_utc_us`, microseconds since 1970 UTC.

        `written` is False when no journal stores the entries: then nothing is encoded and read back.
        """
        self.written: Final = written
        self.ledger: Ledger = ledger
        self.proposals: Final[list[Proposal]] = []
        """What was taken, in order."""
        self.at_utc_us: Final = at_utc_us

    @property
    def entries(self) -> tuple[NewEntry, ...]:
        """The entries to write, in order."""
        return tuple(proposal.entry for proposal in self.proposals)

    def mark(self) -> DraftMark:
        """Remember how far it has come."""
        return len(self.proposals), self.ledger

    def rewind(self, mark: DraftMark) -> None:
        """Undo the proposals since `mark`."""
        taken, self.ledger = mark
        del self.proposals[taken:]

    def propose(
        self,
        kind: str,
        body: Body,
        actor: str,
        caused_by: int | None = None,
        decided: Took | None = None,
    ) -> Proposal:
        """Test an entry against the ledger without taking it; a `decided` fact is adopted as it is.

        Raises as `fold`, and `JournalError` ENTRY_UNWRITABLE for an entry that no journal can store.
        """
        round_id, version = self.ledger.state.book.number, VERSIONS[kind]
        new = NewEntry(
            kind, _proved(kind, body) if self.written else b"", actor, round_id, caused_by, version
        )
        stored = self._as_stored(new)
        if self.written:
            require_writable(new)
            if decided is None:
                return Proposal(new, fold(self.ledger, stored))
        return Proposal(new, fold_read(self.ledger, stored, body, decided))

    def take(self, proposal: Proposal) -> int:
        """Add a proposal that was made from the present ledger; the sequence that its entry will have."""
        self.proposals.append(proposal)
        self.ledger = proposal.folded.ledger
        return self.ledger.seq

    def take_fact(self, fact: Proposal) -> None:
        """Take a fact, and as entries of their own all that the engine says about it."""
        seq = self.take(fact)
        for notice in fact.folded.notices:
            kind, evidence = evidence_of(notice)
            self.add(kind, evidence, "system:engine", seq)

    def add(self, kind: str, body: Body, actor: str, caused_by: int | None = None) -> int:
        """Propose an entry and take it."""
        return self.take(self.propose(kind, body, actor, caused_by))

    @contextmanager
    def whole_or_nothing(self, but: type[Exception] | tuple[()] = ()) -> Iterator[None]:
        """Take back all that was added inside when it ends with an error; what `but` ends with stays."""
        before = self.mark()
        try:
            yield
        except but:
            raise
        except BaseException:
            self.rewind(before)
            raise

    def _as_stored(self, new: NewEntry) -> Entry:
        """Give the entry as the journal will hold it, but for its hashes, which no fold of it reads."""
        return Entry(
            seq=self.ledger.seq + 1,
            kind=new.kind,
            version=new.version,
            at_utc_us=self.at_utc_us,
            round_id=new.round_id,
            actor=new.actor,
            caused_by=new.caused_by,
            body=new.body,
            prev_hash=GENESIS,
            hash=GENESIS,
        )


TABLE: Final = "system:table"
MENDED: Final = "MENDED"
"""Why the table itself closes an alert."""

_OF_THE_FELT: Final = frozenset(
    {"CAMERA_UNREAD", "CAMERA_UNREAD_DEALER", "CAMERA_UNSURE", "CAMERA_UNSURE_DEALER"}
)
"""What a camera cannot make out on the felt: over when the round is, and its cards are gone."""

_OF_THE_ENTRY: Final = frozenset(("code", "params", "since_utc_us", "by"))
_NO_PROOF: Final[Body] = {}


def adopt(  # noqa: C901, PLR0912  # a case for each effect
    draft: Draft,
    decided: Decided,
    actor: str,
    *,
    line: TableLine | None = None,
    proof: Body = _NO_PROOF,
    cause: int = 0,
    holder: str = TABLE,
    resumed: Body | None = None,
) -> None:
    """Add the entries of the policy's decision. Raises RefusedByRules for a refusal.

    `line` is the decided line, None for an act of the table itself. `proof` is the proof of the line's
    command; `cause` is the entry of a fact that has waited; `holder` is the author of new holds; `resumed` is
    the body of the single entry that ends all holds.
    """
    number, ended = draft.ledger.state.book.number, False
    for effect in decided.effects:
        match effect:
            case Refusal():
                if line is not None:
                    _record_refusal(draft, line, effect, decided.effects[1:], actor)
                raise RefusedByRules(effect.code, **dict(effect.params))
            case Took(by=by) if line is not None and by == SYSTEM != line.by:
                # In shadow the table itself goes on first; the command is about what follows.
                _take(draft, effect, TABLE, _NO_PROOF, cause)
            case Took():
                _take(draft, effect, actor, proof, cause)
                proof = _NO_PROOF
            case Noticed(notice=Alert() as alert):
                open_alert(draft, alert)
            case Noticed():
                pass  # A result is written beside its fact.
            case Held(hold=hold):
                # A hold that would tell by waiting what lay face down is left to surveillance's alert.
                if not (hold.code in TOO_MANY and names_unturned(draft.ledger.state, hold.params)):
                    # Some acts lead to a hold alone: by its proof they are not done again when sent again.
                    draft.add("held", {**_body(hold), "about": _about(hold), **proof}, holder)
            case Released():
                if resumed is None:
                    _release(draft, effect, actor)
                elif not ended:
                    draft.add("resumed", resumed, actor)
                    ended = True
            case CardKept():
                _keep(draft, effect, actor, proof)
            case Inferred(what=what, box=box, hand=hand):
                draft.add("inferred", {"what": what, "box": box, "hand": hand}, TABLE)
            case PayoutNoted(payout=payout):
                _book(draft, payout, actor)
            case _:
                assert_never(effect)
    # Only after the table was cleared: until then the cards can be checked on the felt.
    if line is not None and draft.ledger.state.book.number > number:
        _close_cleared(draft)


def _close_cleared(draft: Draft) -> None:
    """Resolve the alerts about cards that were cleared: nobody can check them any more."""
    held = {(hold.code, hold.params) for hold in draft.ledger.holds}
    for alert in draft.ledger.alerts:
        if alert.code in _OF_THE_FELT and (alert.code, alert.params) not in held:
            close_alerts(draft, alert.code, alert.params)


def _record_refusal(
    draft: Draft, line: TableLine, refusal: Refusal, alerted: tuple[Effect, ...], actor: str
) -> None:
    """Record the rules' refusal as evidence, and alert the pit of a late bet once."""
    params = dict(refusal.params)
    if refusal.by_rules:
        obs = to_json(line.observation)
        draft.add("refused", {"obs": obs, "code": refusal.code, "params": params}, actor)
    for effect in alerted:
        alert = effect.notice if isinstance(effect, Noticed) else None
        if isinstance(alert, Alert) and not _is_open(draft.ledger, alert):
            open_alert(draft, alert)


def _is_open(ledger: Ledger, alert: Alert) -> bool:
    """Whether the alert of this late bet is open already."""
    return any(
        is_same_bet(alert, Alert(known.code, alert.severity, known.round, known.params))
        for known in ledger.alerts
    )


def _take(draft: Draft, took: Took, actor: str, proof: Body, cause: int) -> None:
    """Add a fact to the journal, with its cause."""
    caused_by = (took.mark if took.kept else cause) or None
    if isinstance(took.observation, Paid) and took.observation.how == "measured":
        # It follows from the count of a chip source, not from the author of the last act.
        actor, proof, caused_by = _counter(actor), _NO_PROOF, _last_fact(draft)
    body = {**to_json(took.observation), **proof} if draft.written else proof
    draft.take_fact(draft.propose("fact", body, actor, caused_by, took))


def _keep(draft: Draft, kept: CardKept, actor: str, proof: Body) -> None:
    """Record a waiting card, or the ruling on one; a card that waits already has its entry."""
    card, mark = to_json(kept.kept.card), kept.kept.mark
    if kept.ruling is not None:
        ruled = {"waiting": mark, "card": card, "ruling": to_json(kept.ruling)}
        draft.add("ruled", {**ruled, **proof}, actor, mark)
    elif not mark:
        draft.add("waiting", card | ({"unclear": True} if kept.kept.unclear else {}), actor)


def _release(draft: Draft, released: Released, actor: str) -> None:
    """End a hold and the alert of its ended fault; in shadow every fault is accepted."""
    hold = released.hold
    # Two rounds may have the same fault with the same amounts.
    alone = all(other.code != hold.code or other.round == hold.round for other in draft.ledger.run.holds)
    body = _body(hold) if alone else _body(hold) | {"round": hold.round}
    if draft.ledger.opening.in_shadow:
        draft.add("released", body, TABLE)
        return
    # Without it the next card would raise the waived hold again.
    stands = {"waived": True} if released.resumed and kind_of(hold).stays else {}
    draft.add("released", body | stands, actor)
    close_alerts(draft, hold.code, hold.params, None if alone else hold.round)


def _counter(actor: str) -> str:
    """Name who has counted a payout: the device that reports it, or whichever did before."""
    return actor if actor.startswith("device:") else "device:chips"


def _book(draft: Draft, payout: Payout, actor: str) -> None:
    """Book a payout: the amount due, the amount paid, its source and its author."""
    match payout.how:
        case "computed":
            by = TABLE
        case "measured":
            by = _counter(actor)
        case "entered" | "confirmed":
            by = actor
    body = {**payout._asdict(), "difference": payout.difference, "by": by}
    draft.add("payout", body, by, _last_fact(draft))


def _last_fact(draft: Draft) -> int | None:
    """Return the sequence of the newest proposed fact, which its effects name as their cause."""
    for back, proposal in enumerate(reversed(draft.proposals)):
        if proposal.entry.kind == "fact":
            return draft.ledger.seq - back
    return None


def open_alert(draft: Draft, alert: Alert, actor: str = TABLE) -> None:
    """Open an alert of a device or of the policy itself."""
    draft.add("trouble", alert._asdict() | {"params": dict(alert.params)}, actor)


def close_alerts(draft: Draft, code: str, params: Params, number: int | None = None) -> None:
    """Resolve the alerts of an ended fault without a person; with `number` those of that round alone."""
    for alert in draft.ledger.alerts:
        if (alert.code, alert.params) == (code, params) and number in (None, alert.round):
            draft.add(
                "alert_step", {"alert": alert.alert, "step": "resolve", "note": MENDED}, TABLE, alert.alert
            )


def _body(hold: Hold) -> dict[str, object]:
    return {"code": hold.code, "params": dict(hold.params)}


def _about(hold: Hold) -> dict[str, object]:
    """Return the fields of a hold that its entry does not contain otherwise."""
    fields = {**hold._asdict(), "ways": list(hold.ways)}
    return {name: value for name, value in fields.items() if name not in _OF_THE_ENTRY}
