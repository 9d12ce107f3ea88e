"""From decisions to entries: a durable ledger and what was decided in, a proved ledger and its entries out.

Each entry is proved as soon as it is proposed: it is encoded as it will be stored, and folded. A fact that
the policy has decided is adopted with the state that it was decided to; of any other entry the very bytes
are read back. What is folded here is what a restart would fold; nothing is on disk yet.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple, assert_never

from controller.acts.catalogue import Paid
from controller.domain import Alert, JournalError, Refused, TableError
from controller.engine.table import step
from controller.feed.codec import to_json
from controller.journal.entry import GENESIS, Entry, NewEntry, require_writable
from controller.journal.upcast import VERSIONS, Body
from controller.policy import Decided, TableLine
from controller.policy.lines.late_bets import is_same_bet
from controller.policy.state.effects import (
    CardKept,
    Effect,
    Held,
    Inferred,
    Noticed,
    PayoutNoted,
    Refusal,
    Released,
    Took,
)
from controller.policy.state.holds import Hold, kind_of
from controller.policy.state.line_person import SYSTEM
from controller.policy.state.payouts import Payout
from controller.policy.state.rounds import TOO_MANY, names_unturned
from controller.runtime.api import Params
from controller.runtime.ledger import Folded, Ledger, fold, fold_read
from controller.runtime.ledger.evidence import evidence_of


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


class DraftMark(NamedTuple):
    """A place in a draft to come back to: how many proposals it had taken, and its ledger."""

    taken: int
    ledger: Ledger


class Draft:
    """The ledger as it will be, and the entries that lead there."""

    def __init__(self, ledger: Ledger, at_utc_us: int, *, written: bool = True) -> None:
        """Begin at a durable ledger; every entry gets the time `at_utc_us`, microseconds since 1970 UTC.

        `written` is False where no journal will hold the entries: nothing is encoded and read back then.
        """
        self.written: Final = written
        self.ledger: Ledger = ledger
        self.proposals: Final[list[Proposal]] = []
        """What was taken, in order."""
        self.at_utc_us: Final = at_utc_us

    @property
    def entries(self) -> tuple[NewEntry, ...]:
        """What is to be written, in order."""
        return tuple(proposal.entry for proposal in self.proposals)

    def mark(self) -> DraftMark:
        """Remember how far it has come."""
        return DraftMark(len(self.proposals), self.ledger)

    def rewind(self, mark: DraftMark) -> None:
        """Forget what was taken since then."""
        del self.proposals[mark.taken :]
        self.ledger = mark.ledger

    def propose(
        self,
        kind: str,
        body: Body,
        actor: str,
        caused_by: int | None = None,
        decided: Took | None = None,
    ) -> Proposal:
        """Prove an entry against the ledger without taking it; a fact that is `decided` is adopted as it is.

        Raises what `fold` raises, and `JournalError` ENTRY_UNWRITABLE for what no journal can hold.
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

OF_THE_FELT: Final = frozenset(
    {"CAMERA_UNREAD", "CAMERA_UNREAD_DEALER", "CAMERA_UNSURE", "CAMERA_UNSURE_DEALER"}
)
"""What a camera cannot make out on the felt: over when the round is, and its cards are gone."""

_OF_THE_ENTRY: Final = frozenset(("code", "params", "since_utc_us", "by"))
NO_PROOF: Final[Body] = {}


def adopt(  # noqa: C901, PLR0912  # a case for each effect
    draft: Draft,
    decided: Decided,
    actor: str,
    *,
    line: TableLine | None = None,
    proof: Body = NO_PROOF,
    cause: int = 0,
    holder: str = TABLE,
    resumed: Body | None = None,
) -> None:
    """Add the entries that follow from a decision of the policy. Raises RefusedByRules for a refusal.

    `line` is what was decided on, None for what the table does by itself. `proof` is what the line's entry
    says of its command; `cause` is the entry of a fact that has waited; `holder` is who asks for new holds;
    `resumed` is the body of the one entry that stands for all holds that end.
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
                _take(draft, effect, TABLE, NO_PROOF, cause)
            case Took():
                _take(draft, effect, actor, proof, cause)
                proof = NO_PROOF
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
    # Only once the table was cleared: until then somebody can still look at what lies there.
    if line is not None and draft.ledger.state.book.number > number:
        _close_cleared(draft)


def _close_cleared(draft: Draft) -> None:
    """Resolve what was wrong with cards that no longer lie there: nobody can look at them any more."""
    held = {(hold.code, hold.params) for hold in draft.ledger.holds}
    for alert in draft.ledger.alerts:
        if alert.code in OF_THE_FELT and (alert.code, alert.params) not in held:
            close_alerts(draft, alert.code, alert.params)


def _record_refusal(
    draft: Draft, line: TableLine, refusal: Refusal, alerted: tuple[Effect, ...], actor: str
) -> None:
    """Record what the rules forbid, as evidence, and alert the pit of a late bet once."""
    params = dict(refusal.params)
    _, notices = step(draft.ledger.state, line.observation)
    if any(isinstance(notice, Refused) and notice.code == refusal.code for notice in notices):
        obs = to_json(line.observation)
        draft.add("refused", {"obs": obs, "code": refusal.code, "params": params}, actor)
    for effect in alerted:
        alert = effect.notice if isinstance(effect, Noticed) else None
        if isinstance(alert, Alert) and not _is_open(draft.ledger, alert):
            open_alert(draft, alert)


def _is_open(ledger: Ledger, alert: Alert) -> bool:
    """Whether the pit has the alert of this late bet already and has not resolved it."""
    return any(
        is_same_bet(alert, Alert(known.code, alert.severity, known.round, known.params))
        for known in ledger.alerts
    )


def _take(draft: Draft, took: Took, actor: str, proof: Body, cause: int) -> None:
    """Put a fact into the journal, with what led to it."""
    caused_by = (took.mark if took.kept else cause) or None
    if isinstance(took.observation, Paid) and took.observation.how == "measured":
        # It follows from what a chip source has counted, whoever let the table come so far.
        actor, proof, caused_by = _counter(actor), NO_PROOF, _last_fact(draft)
    body = {**to_json(took.observation), **proof} if draft.written else proof
    draft.take_fact(draft.propose("fact", body, actor, caused_by, took))


def _keep(draft: Draft, kept: CardKept, actor: str, proof: Body) -> None:
    """Write down a card that waits, or as what it waits from here on; one that waits already is there."""
    card, mark = to_json(kept.kept.card), kept.kept.mark
    if kept.ruling is not None:
        ruled = {"waiting": mark, "card": card, "ruling": to_json(kept.ruling)}
        draft.add("ruled", {**ruled, **proof}, actor, mark)
    elif not mark:
        draft.add("waiting", card | ({"unclear": True} if kept.kept.unclear else {}), actor)


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


def _counter(actor: str) -> str:
    """Name who has counted a payout: the device that reports it, or whichever did before."""
    return actor if actor.startswith("device:") else "device:chips"


def _book(draft: Draft, payout: Payout, actor: str) -> None:
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


def close_alerts(draft: Draft, code: str, params: Params) -> None:
    """Resolve the alerts of a cause that is mended; nobody has to."""
    for alert in draft.ledger.alerts:
        if (alert.code, alert.params) == (code, params):
            draft.add(
                "alert_step", {"alert": alert.alert, "step": "resolve", "note": MENDED}, TABLE, alert.alert
            )


def _body(hold: Hold) -> dict[str, object]:
    return {"code": hold.code, "params": dict(hold.params)}


def _about(hold: Hold) -> dict[str, object]:
    """What a hold says beside its code and parameters; since when and by whom, its entry says."""
    fields = {**hold._asdict(), "ways": list(hold.ways)}
    return {name: value for name, value in fields.items() if name not in _OF_THE_ENTRY}
