"""The camera over the felt as a witness.

The raw lines of a shoe are kept in memory alone, and only few of them: an unturned card's message is among
them. The witness works as `stand17 replay --table --frames`: `controller.witnesses` derives the findings, the
table's policy takes them, and they are written before they are shown.

Several pictures in a row must show the same contradiction before the table is held. Within a round cards are
only added, and the shoe reports each before it is laid. So an older picture never shows a card that the
table lacks, except from before the table was cleared or ruled on.
"""

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import CardSeen, Correct, Decision, DeviceSeen, End, Observation, Reveal
from controller.domain import TableError
from controller.engine.settle import in_progress
from controller.policy import Person, TableLine, hold_over
from controller.policy import decide as decide_line
from controller.policy.holds import ABSENT, NOT_ARRIVED
from controller.ports import Report, ReportSink, Trouble
from controller.runtime.api import Accepted, AlertView, Command, Observe, Params, Rejected, Resume
from controller.runtime.contradictions import (
    Detection,
    FrameObservation,
    card_in_question,
    contradictions,
    disagreement,
    excuse,
)
from controller.runtime.decide import Orders, decide
from controller.runtime.draft import TABLE, Draft, adopt, close_alerts
from controller.runtime.ledger import Ledger
from controller.runtime.taking import take_report, take_trouble
from controller.witnesses import (
    ARRIVES_MS,
    CameraDeal,
    FeltFinding,
    FeltReading,
    JoinedFelt,
    Memory,
    ShoeCard,
    ShoeJoining,
    WaitingCards,
)
from controller.witnesses.felt_view import Shown

LINES_MAX: Final = 64
"""Messages that are kept: a shoe is two seconds ahead of the felt at most, which is a handful of cards."""


class ShoeLine(NamedTuple):
    """A card as the shoe reported it, and the one message that named it, as it was on the line."""

    card: CardSeen
    raw: bytes


class ShoeLines:
    """The last messages of a table's shoe; written by the shoe's thread, read on the table's loop."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._lines: dict[int, ShoeLine] = {}

    def listening(self, post: ReportSink) -> ReportSink:
        """Return a sink that records each report and passes it to `post`."""

        def receive(report: Report) -> None:
            self._note(report)
            post(report)

        return receive

    def of(self, number: int) -> ShoeLine | None:
        """Return the message of the card with this number (see `_card_number`); None when it is not kept."""
        with self._lock:
            return self._lines.get(number)

    def _note(self, report: Report) -> None:
        cards = [seen for seen in report.observations if isinstance(seen, CardSeen)]
        if not report.raw or len(cards) != 1 or not _card_number(cards[0]):
            return
        with self._lock:
            self._lines = dict([*self._lines.items()][1 - LINES_MAX :])
            self._lines[_card_number(cards[0])] = ShoeLine(cards[0], report.raw)


def _card_number(card: CardSeen) -> int:
    """Return the number of the card since the program began, from 1; 0 when its id has none.

    It is the last part of the id that a shoe's driver gives: `shoe.k3f.12`.
    """
    number = (card.id or "").rpartition(".")[2]
    return int(number) if number.isascii() and number.isdigit() else 0


NO_LINES: Final = ShoeLines()
"""A table whose shoe tells no lines."""


_WAITS: Final = "TABLE_HELD"
"""With this refusal nothing is lost: the felt shows the same once the table goes on."""

_WITHOUT_HOLD: Final = frozenset({"CLEARING_NOT_TAKEN", "RANK_NOT_TAKEN"})
"""Nothing is dealt on a cleared felt, and a card that nobody could read holds by itself."""


def report_refused(draft: Draft, observation: Shown, refusal: TableError, actor: str) -> None:
    """Alert the pit of a finding and of its refusal.

    A card on the layout holds the table at each refusal. Any other finding raises an alert once per round, as
    long as that alert is open: the person who lifted the hold has checked it.
    """
    code = _code_of(observation)
    if isinstance(observation, CardSeen):
        take_trouble(draft, Trouble(code, (("code", refusal.code),)), actor)
        return
    params = (*_about(draft, observation), ("code", refusal.code))
    known = any((alert.code, alert.params) == (code, params) for alert in draft.ledger.alerts)
    if not known and refusal.code != _WAITS:
        take_trouble(draft, Trouble(code, params, hold=code not in _WITHOUT_HOLD), actor)


def refusals_of(draft: Draft, observation: Shown) -> tuple[AlertView, ...]:
    """The open alerts of `report_refused` about this: they are over once the table takes it."""
    code, about = _code_of(observation), _about(draft, observation)
    alerts = draft.ledger.alerts if about else ()
    return tuple([one for one in alerts if one.code == code and one.params[: len(about)] == about])


def _code_of(observation: Shown) -> str:
    """The alert about something that was not taken."""
    match observation:
        case CardSeen():
            return "CARD_NOT_PLACED"
        case Decision(action="split"):
            return "SPLIT_NOT_TAKEN"
        case Decision():
            return "STAND_NOT_TAKEN"
        case Reveal():
            return "TURNING_NOT_TAKEN"
        case End():
            return "CLEARING_NOT_TAKEN"
        case Correct():
            return "RANK_NOT_TAKEN"


def _about(draft: Draft, observation: Shown) -> Params:
    """Return the round and the subject of an inferred act; nothing for a card."""
    number = ("round", draft.ledger.state.book.number)
    match observation:
        case CardSeen():
            return ()
        case Decision(box=box, hand=hand):
            return number, ("box", box), ("hand", hand)
        case Correct(card=card):
            return number, ("card", card or 0)
        case Reveal() | End():
            return (number,)


Going = Literal["hold", "shoe_only", "camera_only"]
"""What the table may go on with while a witness is missing."""

BACK_MS: Final = 3000
"""A camera that is back looks for so long for the cards that the table knows. Not measured: the reader needs
0.3 s for a card that it can read; longer under a hand."""


class FeltLook(NamedTuple):
    """A dealing camera's reading of the layout. `mono_ns` is the moment of its picture."""

    source: str
    mono_ns: int
    view: FeltReading


class WitnessPlan(NamedTuple):
    """The dealing camera, its shoe ("" for none), and the witness without which the table may continue.

    Several cameras over one layout deal together: `beside` are the others, and `boxes` lists the cameras of
    each box (0: the dealer), its owner first. They are one witness, which is missing when one of them is. A
    card takes at most `arrives_ms` from the shoe to the layout.
    """

    camera: str
    shoe: str = ""
    degrade: Going = "hold"
    degrade_by: Literal["pit", "dealer"] = "pit"
    beside: tuple[str, ...] = ()
    boxes: tuple[tuple[int, tuple[str, ...]], ...] = ()
    arrives_ms: int = ARRIVES_MS

    @property
    def cameras(self) -> tuple[str, ...]:
        """All cameras that deal."""
        return self.camera, *self.beside

    def may_miss(self, device: str) -> bool:
        """Whether the table may continue without this witness."""
        if device in self.cameras:
            return self.degrade == "shoe_only"
        return device == self.shoe and self.degrade == "camera_only"

    @property
    def dealer_may_miss(self) -> frozenset[str]:
        """The witnesses without which a dealer may go on by himself."""
        by_dealer = self.needed if self.degrade_by == "dealer" else frozenset[str]()
        return frozenset(name for name in by_dealer if self.may_miss(name))

    @property
    def needed(self) -> frozenset[str]:
        """The devices without which the table holds."""
        return frozenset({*self.cameras, self.shoe} - {""})


MISSING: Final = "WITNESS_MISSING"
"""Stays open as long as the table goes on without one of its witnesses."""


class FeltMemory(NamedTuple):
    """The witnesses at a moment: camera, shoe, and whether the cards that are known are looked for."""

    deal: Memory
    waiting: WaitingCards | None
    looks_for_known: bool
    back_at_ms: int | None


class FeltWitness:
    """Follows the rounds of a live table. Used on the table's loop, inside the thinking out of a batch."""

    def __init__(self, plan: WitnessPlan, ledger: Ledger) -> None:
        """Come up beside a ledger: of a round that is open the cards are looked for first."""
        self.plan: Final = plan
        self._person: Final = Person("camera", plan.camera)
        self._shoe: Final = ShoeJoining(plan.arrives_ms) if plan.shoe else None
        self._felt: Final = JoinedFelt(plan.cameras, dict(plan.boxes))
        self._deal: Final = CameraDeal(str(self._person), self._shoe, plan.arrives_ms)
        self._looks_for_known = in_progress(ledger.state)
        self._back_at_ms: int | None = None

    def mark(self) -> FeltMemory:
        """Return the memory of the reports to the table, for `rewind` after a failed write."""
        waiting = None if self._shoe is None else self._shoe.mark()
        return FeltMemory(self._deal.mark(), waiting, self._looks_for_known, self._back_at_ms)

    def rewind(self, memory: FeltMemory) -> None:
        """Undo the reports to the table since `memory`; the readings stay."""
        self._deal.rewind(memory.deal)
        self._looks_for_known, self._back_at_ms = memory.looks_for_known, memory.back_at_ms
        if self._shoe is not None and memory.waiting is not None:
            self._shoe.rewind(memory.waiting)

    def look(self, draft: Draft, look: FeltLook) -> None:
        """Take the camera's reading of its next picture."""
        if look.source not in self.plan.cameras:
            return
        view = self._felt.see(look.source, look.view)
        if view is None:
            return
        self._deal.see(view)
        if self._looks_for_known:
            self._find_known(draft, view.t_ms)
        self.follow(draft)

    def receive(self, draft: Draft, report: Report) -> Report:
        """Keep the shoe's cards until they are laid; return the reports that the table takes at once.

        Burn cards are not laid, and a shoe that is the only witness left is believed at once.
        """
        for seen in report.observations:
            if isinstance(seen, DeviceSeen) and seen.name in self.plan.cameras:
                self._looks_for_known, self._back_at_ms = True, None
        if report.source != self.plan.shoe or self._shoe is None or self._is_blind(draft):
            return report
        at_once: list[Observation] = []
        burned = 0
        for seen in report.observations:
            due = draft.ledger.state.shoe.burn_due - burned
            if isinstance(seen, CardSeen) and seen.to != "burn" and not (seen.to is None and due > 0):
                self._shoe.left_shoe(ShoeCard(seen, report.mono_ns // 1_000_000, _card_number(seen)))
            else:
                burned += isinstance(seen, CardSeen)
                at_once.append(seen)
        return report._replace(observations=tuple(at_once))

    def stand_before(self, draft: Draft, observation: Observation) -> None:
        """Before a decision that a person tells of a later hand: the hands before it stand."""
        if not isinstance(observation, Decision) or self._is_blind(draft):
            return
        while (stands := self._deal.before(draft.ledger.run, observation)) is not None:
            before = draft.ledger.state
            self._bring(draft, stands)
            if draft.ledger.state is before:
                return

    def answered(self, draft: Draft, codes: frozenset[str]) -> None:
        """A command was taken while the table waited for these: who looked for a lost card has looked."""
        if self._shoe is not None and NOT_ARRIVED in codes and not draft.ledger.holds:
            self._shoe.answered()

    def follow(self, draft: Draft) -> None:
        """Bring all that the felt shows and the table does not know."""
        if self._is_blind(draft):
            self._lay_from_shoe(draft)
            return
        if self._looks_for_known:
            return
        alone = self._is_missing(draft, self.plan.shoe) and not draft.ledger.holds
        if alone and self._shoe is not None:
            # It lies there already, or comes as the camera's: kept, it would name a later card wrongly.
            self._shoe.give_up()
        self._deal.listen_to(None if alone else self._shoe)
        while (shown := self._deal.next(draft.ledger.run)) is not None:
            self._bring(draft, shown)
        self._burn(draft)

    def _burn(self, draft: Draft) -> None:
        """Count the burn cards of a fresh shoe as burned when no witness can report them.

        Otherwise the table would wait for them and take no bet.
        """
        while (burned := self._deal.burned(draft.ledger.run)) is not None:
            before = draft.ledger.state
            self._bring(draft, burned)
            if draft.ledger.state is before:
                return

    def _lay_from_shoe(self, draft: Draft) -> None:
        """Place the shoe's cards from before a person resumed without the camera."""
        if self._shoe is None or draft.ledger.holds:
            return
        take_report(draft, Report(self.plan.shoe, 0, self._shoe.give_up()))

    def _find_known(self, draft: Draft, now_ms: int) -> None:
        """Find the cards of the round among the laid ones, so that none is reported as new."""
        self._back_at_ms = self._back_at_ms or now_ms
        self._deal.recognise(draft.ledger.state)
        if not draft.ledger.holds and self._deal.watched_ms(self._back_at_ms) >= BACK_MS:
            self._looks_for_known = False

    def _is_blind(self, draft: Draft) -> bool:
        """Whether the table continues without one of its dealing cameras."""
        return any(self._is_missing(draft, camera) for camera in self.plan.cameras)

    def _is_missing(self, draft: Draft, device: str) -> bool:
        """Whether this witness is lost and a person has resumed the table without it."""
        if not self.plan.may_miss(device) or dict(draft.ledger.devices).get(device) not in {"stale", "lost"}:
            return False
        # While the hold of its loss exists, play has not continued without it.
        losses = [held for held in draft.ledger.holds if held.code in ABSENT]
        return all(dict(held.params).get("name") != device for held in losses)

    def _bring(self, draft: Draft, shown: FeltFinding) -> None:
        """Bring one finding to the table's door; a refusal raises an alert."""
        camera = "" if shown.card is None else shown.card.seen.camera
        by = Person("camera", camera) if camera else self._person
        actor, observation = f"device:{by.id}", shown.observation
        if observation is not None:
            t_ms = draft.at_utc_us // 1000
            line = TableLine(observation, by, 0, t_ms, shown=True, unclear=shown.unclear)
            refused_before = refusals_of(draft, observation)
            try:
                decided = decide_line(draft.ledger.opening.house, draft.ledger.run, line)
                adopt(draft, decided, actor, line=line)
            except TableError as refusal:
                report_refused(draft, observation, refusal, actor)
            else:
                for alert in refused_before:
                    close_alerts(draft, alert.code, alert.params)
        if shown.doubt is not None:
            decided = hold_over(draft.ledger.opening.house, draft.ledger.run, shown.doubt, 0)
            adopt(draft, decided, TABLE)


def command_beside_felt(
    draft: Draft, command: Command, orders: Orders, felt: FeltWitness
) -> Accepted | Rejected:
    """Decide a command at a table with a camera; findings that it makes possible follow at once.

    A decision of a later hand implies that the hands before it stand, unless the decision is refused.
    """
    action, before = command.action, draft.mark()
    if isinstance(action, Resume) and (needed := _needed(felt.plan, action)):
        return Rejected("WITNESS_NEEDED", (("name", needed),))
    codes = frozenset(held.code for held in draft.ledger.holds)
    if isinstance(action, Observe):
        felt.stand_before(draft, action.observation)
    stood = draft.mark() != before
    answer = decide(draft, command, orders, felt.plan.dealer_may_miss)
    if stood and isinstance(answer, Rejected):
        draft.rewind(before)
        answer = decide(draft, command, orders, felt.plan.dealer_may_miss)
    if isinstance(answer, Rejected):
        return answer
    if isinstance(action, Resume):
        for name in felt.plan.needed & set(action.without):
            by = f"{command.role}:{command.actor}"
            take_trouble(draft, Trouble(MISSING, (("name", name),), hold=False), by)
    felt.answered(draft, codes)
    felt.follow(draft)
    return answer


def _needed(plan: WitnessPlan, action: Resume) -> str:
    """Return a missing witness that the house requires, "" without one."""
    return next((name for name in action.without if name in plan.needed and not plan.may_miss(name)), "")


class VotePolicy(NamedTuple):
    """`votes` pictures in a row count, each taken `settle_ms` after cards were last moved, or later."""

    votes: int
    settle_ms: int


class ContradictionDetector:
    """Stores the contradictions in the last pictures of each camera; used on the table's loop."""

    def __init__(self, policies: Mapping[str, VotePolicy]) -> None:
        """`policies` are those of each camera by its name; other cameras are left out."""
        self._policies = dict(policies)
        self._moved_seq: int | None = None
        self._moved_ns = 0
        self._counted: dict[str, Counter[Detection]] = {}

    def follow(self, ledger: Ledger, mono_ns: int) -> None:
        """Hear of the table after each change, at `mono_ns`.

        Where the table was cleared, or cards were ruled to lie elsewhere, hands need their time to follow:
        pictures from before `mono_ns` plus `settle_ms` say nothing.
        """
        if self._moved_seq is not None and ledger.moved_seq != self._moved_seq:
            self._moved_ns = mono_ns
        self._moved_seq = ledger.moved_seq

    def report(self, seen: FrameObservation, ledger: Ledger) -> Report:
        """Report the contradictions that enough consecutive pictures of one camera have shown.

        Contradictions that a person has checked and resumed from in this round are left out.
        """
        number = ledger.state.book.number
        told = [
            (trouble, card_in_question(detection, seen.detections, ledger.state))
            for detection in self._judge(seen, ledger)
            for trouble in [disagreement(detection, ledger.state)]
            if (number, excuse(trouble.params)) not in ledger.excused
        ]
        troubles, cards = tuple(one for one, _ in told), tuple(card for _, card in told)
        return Report(seen.source, seen.mono_ns, (), troubles, cards=cards)

    def _judge(self, seen: FrameObservation, ledger: Ledger) -> tuple[Detection, ...]:
        policy = self._policies.get(seen.source)
        if policy is None or seen.mono_ns - self._moved_ns < policy.settle_ms * 1_000_000:
            return ()
        before = self._counted.get(seen.source, Counter())
        unknown = contradictions(seen.detections, ledger.state)
        counted = Counter({detection: before[detection] + 1 for detection in unknown})
        self._counted[seen.source] = counted
        return tuple(detection for detection, count in counted.items() if count >= policy.votes)
