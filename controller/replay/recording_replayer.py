"""A recording played once more: its bytes through the drivers, its facts through the engine.

Each recorded entry is derived again from its cause, and compared. A camera's reports are matched with the
journal by content and approximate time: the recording does not say which pictures a busy machine has read.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from controller.config.model import TableConfig
from controller.devices.cameras.setup import contradiction_detector
from controller.feed.replay import Json, Played, left_open
from controller.journal.entry import Entry, NewEntry, body_of
from controller.ports import Report
from controller.recording.format import decode_entry
from controller.recording.recording_reader import Recorded, Recording
from controller.replay.devices import (
    ComparedEntry,
    DifferenceCode,
    ReplayDevices,
    ReplayDifference,
    calibration_of,
    compared_form,
    enrolment_of,
)
from controller.replay.journal_feed import (
    CardIdMap,
    HistorySteps,
    command_of,
    device_of,
    is_visible,
    report_of,
)
from controller.replay.round_entries import CHECKPOINT, decode, ledger_of
from controller.runtime.api import AlertView
from controller.runtime.contradictions import FrameObservation
from controller.runtime.decide import GUARD, decide
from controller.runtime.draft import TABLE, Draft, Proposal, fold
from controller.runtime.inbox import DeviceItem
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.redaction import secret_rounds
from controller.runtime.restore import restore
from controller.runtime.taking import take_report

_LATE_NS: Final = 10_000_000_000
"""What a camera says may move by so much."""

_OF_ONE_PICTURE: Final = frozenset({"known", "mm", "degrees"})
"""Parameters that are otherwise in the next picture."""

_DryRun = Callable[[Report], tuple[NewEntry, ...]]
"""Tells what a report would lead to on the table as it is now."""


class CameraMatcher:
    """Matches the reports of the cameras that are played again with their recorded entries."""

    def __init__(self, names: Iterable[str], tried: _DryRun) -> None:
        """Begin without a report of the cameras of these names."""
        self._tried = tried
        self._waiting: dict[str, dict[str, Report]] = {name: {} for name in names}
        """Reports that no entry has matched, by their key, the latest of each last."""
        self._owed: dict[str, deque[tuple[str, int, Entry]]] = {name: deque() for name in self._waiting}
        """Entries that no report has matched, with their keys and times."""

    def __contains__(self, name: str) -> bool:
        """Whether this device is one of the cameras."""
        return name in self._waiting

    def receive(self, report: Report) -> None:
        """Take a camera's report, without repeats and without cards that the table knows."""
        if report.observations:
            self._receive(report._replace(troubles=()))
        for trouble in report.troubles:
            self._receive(report._replace(observations=(), troubles=(trouble,)))

    def _receive(self, report: Report) -> None:
        """Match one thing that a camera says."""
        made = self._tried(report)
        if not made:
            return
        key, waiting, owed = _said(made[0]), self._waiting[report.source], self._owed[report.source]
        paid = next((one for one in owed if one[0] == key), None)
        if paid is not None:
            owed.remove(paid)
            return
        waiting.pop(key, None)
        waiting[key] = report

    def find(self, name: str, entry: Entry, mono_ns: int) -> None:
        """Match a recorded entry with a report of the camera, or keep it until such a report comes."""
        key = _said(entry)
        if self._waiting[name].pop(key, None) is None:
            self._owed[name].append((key, mono_ns, entry))

    def missing(self, mono_ns: int) -> Iterator[Entry]:
        """Remove and return entries that no report of a camera has matched for _LATE_NS."""
        for owed in self._owed.values():
            while owed and mono_ns - owed[0][1] > _LATE_NS:
                yield owed.popleft()[2]

    def surplus(self, mono_ns: int) -> Iterator[NewEntry]:
        """Remove reports that have matched no entry for _LATE_NS; return the first entry each leads to."""
        for waiting in self._waiting.values():
            for key, report in list(waiting.items()):
                if mono_ns - report.mono_ns <= _LATE_NS:
                    break
                del waiting[key]
                yield from self._tried(report)[:1]


def _said(one: Entry | NewEntry) -> str:
    """Return a key of the entry's content, without the neighbouring cards and the camera's displacement."""
    found = compared_form(one)
    body: Json = dict(found["body"])
    params = {key: value for key, value in body.get("params", {}).items() if key not in _OF_ONE_PICTURE}
    return repr((found["kind"], {**body, "params": params, "round": None}))


_RECORDING_END_NS: Final = 1_500_000_000
"""What a device said so shortly before the recording ended may not have been journalled any more."""

_CROSSED_NS: Final = 2_000_000_000
"""A reader that counts and its camera that names are two lines: which of them a busy machine came to first is
not recorded. A report waits so long for an entry that was journalled after a later report's."""

WAITING_MAX: Final = 1000
"""Reports of one device that may wait for their journal entry; the oldest go first."""


class JournalReplayer:
    """Takes the recorded entries in order, and the reports of the replayed devices.

    The order of the journal counts, not that of the bytes: a report waits until the journal names its device.
    So a card and a decision of the same moment are decided in their recorded order.
    """

    def __init__(self, ledger: Ledger | None, speakers: Iterable[str], cameras: Iterable[str]) -> None:
        """Begin at a state; None when the recording itself opens the table.

        `speakers` are the shoes and chip sources: each of their reports leads to entries of its own.
        """
        self.ledger = ledger
        self.differences: Final[list[ReplayDifference]] = []
        self.compared = 0
        self._said: dict[str, deque[Report]] = {name: deque(maxlen=WAITING_MAX) for name in speakers}
        self._glances = CameraMatcher(cameras, self._tried)
        self._ids = {name: CardIdMap() for name in self._said}
        self._due: deque[NewEntry] = deque()
        self._alerts: tuple[AlertView, ...] = ()
        """The open alerts before what is due was made."""
        self._as_it_is = True
        self._history = HistorySteps(None)
        self._guarded: Ledger | None = None
        """The table before a face-down card became unread, for the ruling that is made after it."""

    @property
    def before_profiles(self) -> bool:
        """Whether the table was opened before houses had profiles: its rules decided alone.

        Its facts are derived again by the engine; all other entries are taken as recorded.
        """
        return self.ledger is not None and not self.ledger.opening.profiled

    def receive(self, report: Report) -> None:
        """Take a driver's report; may be called from its thread."""
        if self.before_profiles:
            return
        if report.source in self._glances:
            self._glances.receive(report)
        elif report.observations or report.troubles:
            # The answer to an order is taken from the journal: the pit's order is not repeated.
            self._said[report.source].append(report._replace(answers=()))

    def pass_time(self, mono_ns: int, t: float) -> None:
        """Count reports and entries of cameras as differences that have waited too long for each other."""
        for entry in self._glances.missing(mono_ns):
            self._differ("NOT_MADE", t, recorded=entry)
        for new in self._glances.surplus(mono_ns):
            self._differ("NOT_RECORDED", t, made=new)

    def take(self, entry: Entry, mono_ns: int, t: float) -> Iterator[Played]:
        """Make the entry anew, compare, and give the lines that a feed would have had, with their results."""
        if self.ledger is None:
            self.ledger = open_ledger(entry)
            return
        while self._due and (self._due[0].kind, self._due[0].actor) == ("alert_step", TABLE):
            if _alike(entry, self._due[0]):
                break
            # An old recording, in which a person had to close each alert: its fault's end closed none.
            made = self._due.popleft()
            left = [alert for alert in self._alerts if alert.alert == made.caused_by]
            self.ledger = self.ledger._replace(seq=entry.seq - 1, alerts=(*self.ledger.alerts, *left))
        if self._due and _begins(entry) and not _alike(entry, self._due[0]):
            self._differ("NOT_RECORDED", t, made=self._due[0])
            self._due.clear()
        if not self._due:
            yield from self._make(entry, mono_ns, t)
        if self._due:
            self._compare(entry, self._due.popleft(), t)
        if not self._due:
            self.ledger = self.ledger._replace(seq=entry.seq)

    def end(self, mono_ns: int, t: float) -> Iterator[Played]:
        """Report what was never recorded, and close an unfinished round."""
        if self.ledger is None:
            return
        # What they told before the entry that opened an old table is not compared either.
        for queue in () if self.before_profiles else self._said.values():
            old = [report for report in queue if mono_ns - report.mono_ns > _RECORDING_END_NS]
            made = [new for report in old for new in self._tried(report)]
            if made:
                self._differ("NOT_RECORDED", t, made=made[0])
        for entry in self._glances.missing(mono_ns + _LATE_NS + 1):
            self._differ("NOT_MADE", t, recorded=entry)
        left = left_open(self.ledger.state)
        if left is not None:
            yield Played(None, (left,))

    def _make(self, entry: Entry, mono_ns: int, t: float) -> Iterator[Played]:
        """Run the command or report that led to this entry; where there is none, take the entry as it is."""
        assert self.ledger is not None, "an entry needs a table"
        # A round that was cut out has gaps, where an earlier one was ruled on.
        before = self.ledger = self.ledger._replace(seq=entry.seq - 1)
        cause = _by_rules(entry) if self.before_profiles else self._cause(entry, mono_ns, t)
        guarded, self._guarded = self._guarded, self._guarded if entry.caused_by else None
        if entry.actor == GUARD and _begins(entry):
            self._guarded = before
        draft = Draft(before if guarded is None or cause is None else guarded, entry.at_utc_us)
        if cause is not None:
            cause(draft)
            # The first act of the hole card's guard was taken from the journal.
            del draft.proposals[: before.seq - (guarded or before).seq]
        if (cause is not None and not draft.proposals) or (not self._as_it_is and not _begins(entry)):
            self._differ("NOT_MADE", t, recorded=entry)
        self._as_it_is = not draft.proposals
        if draft.proposals:
            self._alerts, self.ledger = self.ledger.alerts, draft.ledger
            self._due.extend(draft.entries)
            yield from self._played(before, draft.proposals, entry.seq, t)
        else:
            folded = fold(self.ledger, entry)
            self.ledger = folded.ledger
            yield from self._history.take(before, entry.seq, entry, t, folded)

    def _played(self, before: Ledger, proposals: Iterable[Proposal], seq: int, t: float) -> Iterator[Played]:
        """Yield the effects of entries that were derived again; `seq` is the first one's sequence."""
        for number, (new, folded) in enumerate(proposals, start=seq):
            yield from self._history.take(before, number, new, t, folded)
            before = folded.ledger

    def _cause(self, entry: Entry, mono_ns: int, t: float) -> Callable[[Draft], object] | None:
        """Return the cause of an entry, a command or a report; None for an entry taken as recorded."""
        if not _begins(entry):
            return None
        name = device_of(entry)
        if name is None:
            absent = () if self.ledger is None else self.ledger.devices
            command = command_of(entry, tuple([one for one, state in absent if state != "live"]))
            return None if command is None else lambda draft: decide(draft, command)
        if is_visible(entry):
            return None
        report = report_of(entry, name)
        if report is None:
            return None
        if name in self._said:
            report = self._next_of(name, entry, mono_ns, t)
        elif name in self._glances and calibration_of(entry) is None and not enrolment_of(entry):
            self._glances.find(name, entry, mono_ns)
        return lambda draft: None if report is None else take_report(draft, report)

    def _next_of(self, name: str, entry: Entry, mono_ns: int, t: float) -> Report | None:
        """Take this device's report that leads to this entry, else its first that leads to any.

        Skipped reports older than _CROSSED_NS count as not recorded, except at the beginning: there a
        recording repeats earlier messages, such as the last copies of a card.
        """
        queue, ids = self._said[name], self._ids[name]
        made = [self._tried(report) for report in queue]
        wanted = _key(compared_form(entry))
        fitting = next(
            (at for at, new in enumerate(made) if new and _key(compared_form(new[0])) == wanted), None
        )
        chosen = fitting if fitting is not None else next((at for at, new in enumerate(made) if new), None)
        if chosen is None:
            queue.clear()
            return None
        before = [(queue.popleft(), new) for new in made[:chosen]]
        report = queue.popleft()
        crossed: list[Report] = []
        for said, new in before:
            if not new or not ids.known:
                continue
            if mono_ns - said.mono_ns <= _CROSSED_NS:
                crossed.append(said)
            else:
                self._differ("NOT_RECORDED", t, made=new[0])
        queue.extendleft(reversed(crossed))
        ids.learn(entry, report)
        return ids.translated(report)

    def _tried(self, report: Report) -> tuple[NewEntry, ...]:
        """Return the entries that a report would lead to on the table as it is now, without making them."""
        if self.ledger is None:
            return ()
        draft = Draft(self.ledger, 0)
        take_report(draft, report)
        return draft.entries

    def _compare(self, entry: Entry, made: NewEntry, t: float) -> None:
        self.compared += 1
        if compared_form(entry) != compared_form(made):
            self._differ("DIFFERS", t, recorded=entry, made=made)

    def _differ(
        self, code: DifferenceCode, t: float, recorded: Entry | None = None, made: NewEntry | None = None
    ) -> None:
        one = recorded or made
        assert one is not None, "a difference is between something and something else"
        self.differences.append(
            ReplayDifference(
                t,
                code,
                one.actor.partition(":")[2],
                recorded=None if recorded is None else compared_form(recorded),
                made=None if made is None else compared_form(made),
                seq=None if recorded is None else recorded.seq,
                round_id=one.round_id,
            )
        )


def _by_rules(entry: Entry) -> Callable[[Draft], object] | None:
    """Return the cause of an entry of a table from before profiles: a fact, taken by the rules."""
    if entry.kind != "fact" or not _begins(entry):
        return None
    return lambda draft: draft.take_fact(draft.propose("fact", body_of(entry), entry.actor))


def _begins(entry: Entry) -> bool:
    """Whether an entry can be the first effect of a cause; a later effect names its cause.

    A step of an alert and a ruling on a waiting card name their subject, which is not their cause.
    """
    return entry.caused_by is None or entry.kind in ("alert_step", "ruled")


def _alike(entry: Entry, made: NewEntry) -> bool:
    return (entry.kind, entry.actor) == (made.kind, made.actor)


def _key(one: ComparedEntry) -> str:
    """Return a key of an entry's content, without the id that a run gave its card."""
    body = {key: value for key, value in one["body"].items() if key != "id"}
    return repr((one["kind"], body))


COMPARED: Final = "compared"


class RecordingReplayer:
    """Plays one recording once. `differences` is complete when `play` has come to its end."""

    def __init__(
        self,
        recording: Recording,
        config: TableConfig | None = None,
        before: Callable[[float, Recorded], None] = lambda _, __: None,
        item: Callable[[DeviceItem], None] = lambda _: None,
    ) -> None:
        """Prepare a replay. `config` replaces the recorded settings.

        `before` is called before each message with the seconds since the recording began, and may wait.
        `item` gets all reports of the replayed drivers and cameras, from their threads.

        Raises `JournalError` when the recorded history is no journal, `RecordingError` for an unreadable
        checkpoint of a round.
        """
        self._recording = recording
        self._before = before
        self._item = item
        self._found: list[ReplayDifference] = []
        self.counts: Final[Counter[str]] = Counter()
        """Messages by kind, and under COMPARED the entries that were made anew."""
        self._turned: set[int | None] = set()
        self.seconds = 0.0
        """How long what was played took."""
        self.devices: Final = ReplayDevices(recording, config, self._receive)
        cameras = self.devices.cameras()
        self._journal = JournalReplayer(table_before(recording), self.played_lines(), cameras)
        used = self.devices.config
        self._detector = None if used is None else contradiction_detector(used)
        self._follow_moves(0)

    @property
    def differences(self) -> list[ReplayDifference]:
        """The differences, in order of time."""
        return sorted([*self._found, *self._journal.differences], key=lambda difference: difference.t)

    def played_lines(self) -> set[str]:
        """Return the shoes and chip sources whose bytes are replayed."""
        return self.devices.shoes() | self.devices.chip_sources()

    def unread(self) -> set[str]:
        """Return the devices whose bytes are not compared.

        No driver of this version reads them, or the table was opened before houses had profiles.
        """
        by_rules = self.played_lines() if self._journal.before_profiles else set()
        return self.devices.unread_chips() | by_rules

    @property
    def at_table(self) -> bool:
        """Whether the recording is that of a table, or of devices alone."""
        return self._journal.ledger is not None

    @property
    def secret(self) -> frozenset[int]:
        """The rounds whose face-down card was never turned: their cards must not be shown."""
        ledger = self._journal.ledger
        return frozenset() if ledger is None else secret_rounds(ledger.state, ledger.unturned) - self._turned

    def play(self) -> Iterator[Played]:
        """Play the recording; yield what a replay of a feed yields."""
        first_ns: int | None = None
        last_ns = 0
        try:
            for recorded in self._recording:
                last_ns = recorded.mono_ns
                first_ns = last_ns if first_ns is None else first_ns
                self.seconds = (last_ns - first_ns) / 1e9
                self._before(self.seconds, recorded)
                self.counts[recorded.kind] += 1
                yield from self._take(recorded, self.seconds)
            yield from self._journal.end(last_ns, self.seconds)
        finally:
            self.devices.close()
            self.counts[COMPARED] = self._journal.compared

    def _take(self, recorded: Recorded, t: float) -> Iterator[Played]:
        self._journal.pass_time(recorded.mono_ns, t)
        if recorded.kind != "fact":
            self._found += self.devices.take(recorded, t)
            return
        entry = decode_entry(recorded.data, str(self._recording.path))
        if entry.kind == "fact" and body_of(entry).get("obs") == "reveal":
            self._turned.add(entry.round_id)
        # What follows from time alone was reported before its entry.
        self.devices.let_pass(recorded.mono_ns, device_of(entry) or "")
        yield from self._journal.take(entry, recorded.mono_ns, t)
        self.devices.follow(entry, recorded.mono_ns)
        self._follow_moves(recorded.mono_ns)

    def _receive(self, item: DeviceItem) -> None:
        """Take a report of a driver or a camera, from its thread, which is waited for.

        The observations of a camera that deals are taken as recorded.
        """
        self._item(item)
        if isinstance(item, Report):
            self._journal.receive(item)
        elif (
            isinstance(item, FrameObservation)
            and self._detector is not None
            and self._journal.ledger is not None
        ):
            self._journal.receive(self._detector.report(item, self._journal.ledger))

    def _follow_moves(self, mono_ns: int) -> None:
        if self._detector is not None and self._journal.ledger is not None:
            self._detector.follow(self._journal.ledger, mono_ns)


def table_before(recording: Recording) -> Ledger | None:
    """Return the table at the beginning of the recording; None when the recording itself opens it.

    Raises `JournalError` when the recorded history is no journal, `RecordingError` for an unreadable
    checkpoint of a round.
    """
    start = recording.attachments.get(CHECKPOINT)
    if start is not None:
        return ledger_of(decode(start, str(recording.path)))
    return restore(recording.history)
