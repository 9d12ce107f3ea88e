"""The history of any file of a table: of a journal or recording as it is, of a feed as one in memory."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from controller.acts.catalogue import Credit, Drop, Fill, FloatCounted, Paid, SlipVoided, declared
from controller.domain import Alert, JournalError, Notice, Refused, RuleSet, TableError
from controller.engine.state import TableState, new_table
from controller.engine.table import step
from controller.feed.codec import to_json
from controller.feed.feed_lines import FeedLine
from controller.feed.feed_table import line_at_door
from controller.history.entry_line import EntryLine
from controller.history.history import History
from controller.journal.checking import VerifyReport, verify, walk
from controller.journal.entry import Body, Entry
from controller.journal.store import JournalReader
from controller.policy import House, TableRun, decide, new_run
from controller.policy.allowed import default_person, require_allowed, require_second_person
from controller.policy.holds import TOO_MANY, names_unturned
from controller.policy.line import person_named
from controller.policy.money import Explanation, explanations, payout_of
from controller.policy.run import NO_SECOND, Effect, Refusal
from controller.replay.journal_feed import started_at
from controller.replay.played import door_rules
from controller.replay.table_file import ReadFile, kind_of, read_table_file
from controller.runtime.draft import Draft, RefusedByRules, adopt, evidence_of
from controller.runtime.ledger import Ledger, Opening, dealt_rules
from controller.runtime.redaction import hide_cards
from controller.runtime.restore import ResultVerifier, set_aside_in, uncollected
from controller.runtime.snapshot import history_lines, secrets_of

_OF_THE_FLOAT: Final = (Credit, Drop, Fill, FloatCounted, SlipVoided)
"""What moves or counts the float beside the rounds."""


class ShiftFile(NamedTuple):
    """A file's history, and the table after its last line.

    `checked` is how the entries of a journal fit, None for any other file; `hides`: a hash of its end would
    give away a card that was not turned.
    """

    history: History
    table: str
    rules: RuleSet
    house: House
    currency: str
    started_at: str
    state: TableState
    checked: VerifyReport | None = None
    hides: bool = False

    def explanations(self, off: int) -> tuple[Explanation, ...]:
        """Return the explanations of a float difference, with the engine's rounds."""
        return explanations(self.state.book, (*self.state.book.past, self.state), off) if off else ()


def open_shift(
    file: Path,
    *,
    at_table: bool = False,
    last_seq: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> ShiftFile:
    """Read a file into a history; `at_table`: a feed through a table's door, with its holds.

    With `last_seq` a journal up to that entry; `progress` gets each of its entries that fits. Raises as
    `read_table_file`.
    """
    if kind_of(str(file)) == "journal":
        return _journal(file, last_seq, progress)
    return shift_of(read_table_file(str(file)), at_table=at_table)


def shift_of(opened: ReadFile, *, at_table: bool) -> ShiftFile:
    """The history of a file that was read already."""
    if opened.checked is None:
        return _door(opened) if at_table else _rules_alone(opened)
    path, ledger = Path(opened.name), opened.checked.ledger
    if kind_of(opened.name) == "recording":
        return _recorded(path, ledger)
    with closing(JournalReader(path)) as reader:
        good = (
            one for one in islice(reader.read(), opened.checked.report.head.seq) if isinstance(one, Entry)
        )
        aside = [range(one.first, one.last + 1) for one in set_aside_in(path)]
        history = history_of(good, ledger, aside)
    return _of_ledger(ledger, history, history.begun_us, opened.checked.report)


def history_of(entries: Iterable[Entry], ledger: Ledger, aside: Iterable[range] = ()) -> History:
    """The history of entries; `ledger` is the table after them, entries set `aside` are left out."""
    history, left = History(), tuple(aside)
    known = (entry for entry in entries if not any(entry.seq in one for one in left))
    history.take(history_lines(known, secrets_of(ledger)))
    return history


class _KeptEntries:
    """An `EntryCheck` that keeps the entries that fit, with their bodies: a report reads each once."""

    def __init__(self, path: Path) -> None:
        self._verifier: Final = ResultVerifier(set_aside_in(path))
        self._known: Final[list[Entry]] = []
        self._bodies: Final[dict[int, Body]] = {}

    def __call__(self, entry: Entry) -> str | None:
        code = self._verifier(entry)
        if code is None and not self._verifier.is_aside(entry.seq):
            self._known.append(entry)
            self._bodies[entry.seq] = self._verifier.body
        return code

    def end(self) -> str | None:
        return self._verifier.end()

    def file(self, report: VerifyReport) -> ShiftFile:
        """The history of these entries. Raises `JournalError` NOT_OPENED where the first does not fit."""
        ledger = self._verifier.ledger
        if ledger is None:
            raise JournalError("NOT_OPENED", seq=1, kind="-")
        history = History()
        history.take(history_lines(self._known, secrets_of(ledger), lambda entry: self._bodies[entry.seq]))
        return _of_ledger(ledger, history, history.begun_us, report)


def _journal(path: Path, last_seq: int | None, progress: Callable[[int], None]) -> ShiftFile:
    check = _KeptEntries(path)
    with uncollected():
        if last_seq is None:
            return check.file(verify(path, check, progress))
        with closing(JournalReader(path)) as reader:
            head, misfit = walk(islice(reader.read(), last_seq), check, progress)
        return check.file(VerifyReport(str(path), head.seq, head, misfit, sound=True, vouched=False))


def _recorded(path: Path, ledger: Ledger) -> ShiftFile:
    # What only recordings need, all drivers, takes longer to import than a report takes.
    from controller.replay.round_entries import recorded_entries  # noqa: PLC0415 - see above

    history = history_of(recorded_entries(path), ledger)
    return _of_ledger(ledger, history, history.begun_us, None)


def _of_ledger(ledger: Ledger, history: History, begun_us: int, checked: VerifyReport | None) -> ShiftFile:
    opening = ledger.opening
    secrets = secrets_of(ledger)
    return ShiftFile(
        history,
        opening.table,
        dealt_rules(opening.rules, opening.house),
        opening.house,
        opening.currency,
        started_at(begun_us),
        ledger.state,
        checked,
        hides=bool(secrets.rounds) or secrets.waiting_seq is not None,
    )


def _door(file: ReadFile) -> ShiftFile:
    """Play a feed's lines at a table's door; its entries are those of a live table."""
    begun_us = _begun_us(file)
    rules = door_rules(file, at_table=True)
    ledger = Ledger(0, Opening("", rules, "", b"", file.house), new_run(file.house, rules))
    lines: list[EntryLine] = []
    at: dict[int, int] = {}
    for line in file.door:
        entered = line_at_door(line)
        draft = Draft(ledger, entered.t_ms * 1000, written=False)
        decided = decide(file.house, ledger.run, entered)
        with suppress(RefusedByRules):
            adopt(draft, decided, str(entered.by), line=entered)
        # No entry says that a round is complete and waits for a ruling.
        run = replace(draft.ledger.run, unreported=decided.run.unreported)
        number, ledger = ledger.state.book.number, draft.ledger._replace(run=run)
        entries = list(_drafted(draft, line, begun_us))
        if not any(entry.kind == "refused" for entry in entries):
            entries += _refusals(decided.effects, line, number, begun_us)
        for made in entries:
            # A line that was refused is no entry of a journal: the others are numbered around it.
            seq = len(lines) + 1
            at[made.seq] = seq
            lines.append(made._replace(seq=seq, caused_by=at.get(made.caused_by or 0)))
    withheld = {at[seq] for seq in ledger.withheld}
    known = [line for line in lines if line.seq not in withheld]
    return _of_feed(file, rules, known, ledger.state, begun_us)


def _drafted(draft: Draft, line: FeedLine, begun_us: int) -> Iterator[EntryLine]:
    """The entries of a draft; the first is the one with which the line came."""
    first = draft.ledger.seq - len(draft.proposals) + 1
    for seq, (new, folded) in enumerate(draft.proposals, start=first):
        body = folded.body if folded.observation is None else to_json(folded.observation)
        actor = new.actor
        if line.by is None and actor == str(default_person(line.obs)):
            # The replay's own name for a line without a person.
            actor = actor.partition(":")[0]
        entry = EntryLine(seq, new.kind, begun_us + round(line.t * 1e6), new.round_id, actor, body)
        number = line.number if seq == first else 0
        yield entry._replace(body=hide_cards(new.kind, body), caused_by=new.caused_by, line=number)


def _refusals(effects: Iterable[Effect], line: FeedLine, number: int, begun_us: int) -> Iterator[EntryLine]:
    """A line that the door has refused; a live table answers it, and writes nothing."""
    for effect in effects:
        if isinstance(effect, Refusal) and effect.mark == 0:
            body = {"code": effect.code, "obs": {"obs": declared(line.obs).name}}
            at_us = begun_us + round(line.t * 1e6)
            yield EntryLine(0, "refused", at_us, number, _actor(line), body, None, line.number)


def _rules_alone(file: ReadFile) -> ShiftFile:
    """Take a feed's lines by the rules alone: each is a fact or refused, and nothing holds."""
    begun_us = _begun_us(file)
    state = new_table(file.rules, watch=file.house.options.shuffle_watch)
    lines: list[EntryLine] = []
    entered = new_run(file.house, file.rules)
    for line in file.lines:
        if isinstance(line.obs, _OF_THE_FLOAT) and not _may_enter(entered, line):
            continue
        taken = step(state, line.obs)
        first = len(lines) + 1
        made = _made(line, taken.state, taken.notices)
        for seq, (kind, body) in enumerate(made, start=first):
            number = (state if seq == first else taken.state).book.number
            entry = EntryLine(seq, kind, begun_us + round(line.t * 1e6), number, _actor(line), body)
            lines.append(
                entry._replace(caused_by=None if seq == first else first, line=line.number * (seq == first))
            )
        state = taken.state
    return _of_feed(file, file.rules, lines, state, begun_us)


def _may_enter(run: TableRun, line: FeedLine) -> bool:
    """Whether the table's door accepts the line from its person; the rules alone do not check persons."""
    entered = line_at_door(line)
    try:
        require_allowed(run, entered)
        require_second_person(NO_SECOND, run, entered)
    except TableError:
        return False
    return True


def _made(line: FeedLine, after: TableState, notices: Iterable[Notice]) -> Iterator[tuple[str, Body]]:
    """Kind and body of each entry that a line makes by the rules alone."""
    said = list(notices)
    refused = next((one for one in said if isinstance(one, Refused)), None)
    fields = to_json(line.obs)
    if refused is not None:
        yield "refused", {"code": refused.code, "obs": {"obs": fields["obs"]}}
        return
    yield "fact", hide_cards("fact", fields)
    for notice in said:
        hidden = isinstance(notice, Alert) and notice.code in TOO_MANY
        if not (hidden and isinstance(notice, Alert) and names_unturned(after, notice.params)):
            kind, body = evidence_of(notice)
            yield kind, hide_cards(kind, body)
    if isinstance(line.obs, Paid):
        payout = payout_of(after, line.obs, person_named(_actor(line)) or default_person(line.obs))
        if payout is not None:
            yield "payout", payout._asdict()


def _actor(line: FeedLine) -> str:
    """Return the author of a line; the role alone for a line without a name."""
    named = line.by or getattr(line.obs, "by", None)
    return str(named or default_person(line.obs).role)


def _begun_us(file: ReadFile) -> int:
    """Return the beginning of a feed; 1970 when the feed does not say it."""
    try:
        return round(datetime.fromisoformat(file.header.started_at).timestamp() * 1e6)
    except ValueError:
        return 0


def _of_feed(
    file: ReadFile, rules: RuleSet, lines: list[EntryLine], state: TableState, begun_us: int
) -> ShiftFile:
    history, header = History(rules, begun_us), file.header
    history.take(lines)
    return ShiftFile(history, file.table, rules, file.house, header.currency, header.started_at, state)
