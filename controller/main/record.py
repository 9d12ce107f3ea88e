"""A table's record: the journal as a start opens it, a new day's journal, one taken over from its copy.

Time is handed in, and `open_journal` to `table_door` start nothing: a table that is simulated whole opens by
this way too.

The journal of a new day is complete on the disk before the old one ends: its first entries name the
preceding file, the signer, and the state that it takes over. Then the old journal gets the entry
`day_ended`, which names the new file. After a kill between the two, the table continues in the new file, and
the start writes that entry (`end_day_before`).
"""

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple

from controller.acts.catalogue import TableDay
from controller.config import TableConfig, gaming_day
from controller.devices.cameras.setup import contradiction_detector, witness_plan
from controller.devices.kept import RecordedJournal
from controller.domain import ConfigError, JournalError, TableError
from controller.engine.settle import is_final
from controller.floor.archive import COPY
from controller.journal.copying import CopiedJournal, checked_copy, take_over
from controller.journal.entry import Entry, NewEntry
from controller.journal.head_file import TableKey
from controller.journal.heads import HeadSigner, RandomBytes, SignedHead, head_before, opened_of
from controller.journal.keeping import HeadKeeping
from controller.journal.store import Journal, JournalReader, has_entries, require_nothing_noted
from controller.main.trust import head_keeping, kept_files, live_people, table_key
from controller.people.person import PIN_DIGITS_MIN, PinHasher
from controller.policy import House
from controller.policy.line import PIT_STAFF
from controller.ports import MACHINE_DISK, Clock, Health, SideDisk, SystemClock, Trouble
from controller.rules import load_file, with_overrides
from controller.runtime.api import CommandAnswer, Mode, NameCard, Observe
from controller.runtime.carrying import KIND, carried_entries, may_end
from controller.runtime.decide import TableDevices
from controller.runtime.door import Listeners, TableDoor
from controller.runtime.draft import encoded
from controller.runtime.inbox import BegunDay, FailureLog, Item, SubmittedCommand, TableLimits
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.restore import (
    SYSTEM,
    Identity,
    ProgramStart,
    clock_put_back,
    follow,
    opened_entry,
    restore,
    start,
    started_entry,
)
from controller.runtime.snapshot import logger
from controller.web.parts import TableTimes


class TableRecord(NamedTuple):
    """The record of a table, and the state that it came up with."""

    journal: RecordedJournal
    ledger: Ledger
    heads: HeadKeeping
    failures: FailureLog
    times: TableTimes


class OpenedJournal(NamedTuple):
    """A journal with the key that signs it, and the facts about the starting program.

    `nonces` is the random source for sealing heads.
    """

    journal: RecordedJournal
    key: TableKey
    known: ProgramStart
    nonces: RandomBytes = secrets.token_bytes


def identity_of(config: TableConfig, folder: Path) -> Identity:
    """Return the identity of the configured table; raises as `load_file` and `with_overrides`.

    `folder` is the folder of relative rule files.
    """
    table = config.table
    file = load_file(table.rules, folder)
    rules = with_overrides(file.rules, table.rule_overrides)
    house = House(file.irregularities, table.options.settled, table.second_person.settled)
    # Only a journal that begins names another: a start reads no other day's heads.
    begins = not config.journal.file.exists()
    follows = head_before(config.journal.file, table.name) if begins else None
    return Identity(table.name, rules, table.currency, house, follows)


def open_journal(
    config: TableConfig, clock: Clock, key: TableKey, disk: SideDisk = MACHINE_DISK
) -> RecordedJournal:
    """Open the journal and compare it with its files; raises as `Journal.open`."""
    return RecordedJournal.open(config.journal.file, clock, key, kept_files(config), disk=disk)


def begin_record(
    config: TableConfig,
    opened: OpenedJournal,
    identity: Identity,
    mode: Mode,
    clock: Clock,
    *,
    before: SignedHead | None = None,
) -> TableRecord:
    """Restore or begin the journal, and record the start.

    `before`: this process has begun the journal as the day after one that ends with this head. Then its start
    is recorded already.
    """
    journal, key, known, nonces = opened
    ledger = restore(journal.read()) if before is not None else None
    if ledger is None:
        ledger = start(journal, identity, mode, version("stand17"), known)
    heads = head_keeping(config, journal, key, clock, nonces, before=before or identity.follows)
    return TableRecord(journal, ledger, heads, FailureLog(logger()), TableTimes(clock))


def table_door(
    config: TableConfig,
    record: TableRecord,
    clock: Clock,
    *,
    mode: Mode,
    health: Callable[[], tuple[Health, ...]],
    send_order: Callable[[str, str], bool] | None = None,
    card_named: Callable[[NameCard, str], None] = lambda _action, _who: None,
) -> TableDoor:
    """The door of a table on its record; see `TableDoor`."""
    locks = config.shoe.name if config.shoe is not None and config.shoe.lock_while_held else None
    return TableDoor(
        record.journal,
        record.ledger,
        clock,
        mode=mode,
        limits=TableLimits(journal_slow_ms=config.journal.slow_ms),
        devices=TableDevices(health, send_order, card_named, locks),
        detector=contradiction_detector(config),
        witnesses=witness_plan(config),
        listeners=Listeners(record.failures, record.heads.sign, record.times.finished),
    )


ENDED: Final = "day_ended"

_NOT_CLOSED: Final = "DAY_NOT_CLOSED"

_IDLE_US: Final = 120_000_000
"""A settled round that was not cleared for so long is over. Its payouts are confirmed in the old file."""

RETRY_US: Final = 60_000_000

_UNLIKELY: Final = "DAY_UNLIKELY"

_PUT_FORWARD_US: Final = 3_600_000_000
"""A clock that was put forward by so much since the table's start is not trusted with the date. Slewing a
clock by 500 millionths moves it by 43 s a day."""

_UNUSED_DAYS: Final = 7
"""Where the next file would be of a day so much later, the pit is asked once whether the date is right."""


def file_at_start(config: TableConfig, clock: Clock) -> Path:
    """Return the journal in which a table continues: the newest with entries, or that of today.

    Raises `JournalError` JOURNAL_CUT_OFF when a later one was written and is gone, DAY_BEGUN_TWICE as
    `_require_ended`.
    """
    days = config.journal.days
    if days is None:
        return config.journal.file
    kept = [] if config.signing.keep_folder is None else days.days(config.signing.keep_folder)
    for day in days.days():
        path = days.file_of(day)
        if has_entries(path):
            later = [*_named_next(path), *(days.file_of(one) for one in kept if one > day)]
            if later:
                raise JournalError("JOURNAL_CUT_OFF", path=str(later[0]), found=0, noted=1)
            _require_ended(path)
            return path
        # A kill before the first commit leaves a file without entries; one that had some is refused here.
        require_nothing_noted(path)
    return days.file_of(gaming_day(clock.utc_us(), config.journal.day_begins))


def _named_next(path: Path) -> tuple[Path, ...]:
    """The file that a journal's last entry names as the next one; none of a journal that cannot be read."""
    with suppress(JournalError), closing(JournalReader(path)) as reader:
        last = next(reader.read(reader.last_seq()), None)
        if isinstance(last, Entry) and last.kind == ENDED:
            return (path.with_name(str(opened_of(last.body).get("next", ""))),)
    return ()


def _day_before(path: Path) -> tuple[Path, int] | None:
    """Return the day before that a journal took over, with its last entry that was taken over.

    None when its file is unknown or gone.
    """
    with closing(JournalReader(path)) as reader:
        carried = next((opened_of(body) for _, body in reader.of_kind(KIND)), {})
    name, seq = carried.get("journal"), carried.get("seq")
    if not isinstance(name, str) or not isinstance(seq, int) or not path.with_name(name).is_file():
        return None
    return path.with_name(name), seq


def _require_ended(path: Path) -> None:
    """Raise `JournalError` DAY_BEGUN_TWICE when the day before continued after this file took over.

    A disk may keep a commit that it refused: then the table has continued in the day before.
    """
    before = _day_before(path)
    if before is None:
        return
    later: list[Entry] = []
    with suppress(JournalError), closing(JournalReader(before[0])) as reader:
        entries = reader.read(before[1] + 1)
        later = [entry for entry in entries if isinstance(entry, Entry) and not _ends_day(entry)]
    if later:
        raise JournalError("DAY_BEGUN_TWICE", path=str(path), before=str(before[0]))


def end_day_before(config: TableConfig, key: TableKey, clock: Clock, mode: Mode) -> None:
    """Write the end of the day before, after a kill; it reveals that today's file was taken away.

    A journal of that day that cannot be written to, or does not fit its files, stays as it is.
    """
    path = config.journal.file
    before = _day_before(path) if config.journal.days is not None and has_entries(path) else None
    if before is None or _named_next(before[0]):
        return
    earlier = before[0]
    kept = kept_files(config.with_journal(earlier))
    with suppress(TableError), closing(Journal.open(earlier, clock, key, kept)) as journal:
        ledger = None if journal.findings else restore(journal.read())
        if ledger is not None:
            door = TableDoor(journal, ledger, clock, mode=mode)
            door.write(door.last_of_day(path.name, closes=_is_left_open(ledger, earlier)))


def _is_left_open(ledger: Ledger, path: Path) -> bool:
    """Whether the table was opened by a person in this journal, and not closed."""
    with closing(JournalReader(path)) as reader:
        facts = (opened_of(body) for _, body in reader.of_kind("fact"))
        opened = any(fact.get("obs") == "table" and fact.get("state") == "open" for fact in facts)
    return opened and not ledger.state.book.closed


def _ends_day(entry: Entry) -> bool:
    """Whether an entry only closes a day whose next file is written."""
    closes = entry.kind == "fact" and opened_of(entry.body).get("obs") == "table"
    return entry.actor == SYSTEM and (entry.kind == ENDED or closes)


class NextDay(NamedTuple):
    """The configuration of the new day, and the items that its table takes first."""

    config: TableConfig
    left: tuple[Item, ...]


class DayChange:
    """Begins the next day's journal of one table. All but `begin` is called on the table's loop."""

    def __init__(
        self, config: TableConfig, folder: Path, mode: Mode, opened: OpenedJournal, clock: Clock
    ) -> None:
        """`folder` is where relative rule files lie, `opened` the journal of this day."""
        self._config, self._folder, self._mode = config, folder, mode
        self._key, self._known, self._clock = opened.key, opened.known, clock
        self._retry_us = 0
        self._ahead_us = self._clock_ahead_us()
        self._asked: date | None = None
        """The day about which the pit was asked whether the clock is right."""
        self.ended: Final = asyncio.Event()
        """Set once the table goes on in another file."""
        self.next: NextDay | None = None

    def due(self, ledger: Ledger) -> bool:
        """Whether this day's journal ends at the next pause between two rounds.

        A clock behind the last entry begins no file, nor does one that the pit has to check (`_UNLIKELY`).
        """
        if any(alert.code == _UNLIKELY for alert in ledger.alerts):
            return False
        day, now_us = self._day(), self._clock.utc_us()
        if day is None or now_us < max(ledger.at_utc_us, self._retry_us) or self._today() <= day:
            return False
        settled = is_final(ledger.state.settlement.status)
        return may_end(ledger) and (not settled or now_us - ledger.at_utc_us >= _IDLE_US)

    def opener(self, items: Sequence[Item]) -> SubmittedCommand | None:
        """The command that opens the table."""
        for item in items:
            if isinstance(item, SubmittedCommand) and isinstance(item.command.action, Observe):
                told = item.command.action.observation
                if isinstance(told, TableDay) and told.state == "open":
                    return item
        return None

    def begin(self, ledger: Ledger, opener: SubmittedCommand | None) -> BegunDay:
        """Write the new file up to the opening.

        Raises `TableError` where it cannot be written, and once for each `_UNLIKELY` day; the old journal
        then goes on.
        """
        days = self._config.journal.days
        assert days is not None, "one file holds all days"
        self._require_likely()
        path = days.file_of(self._today())
        if has_entries(path):
            raise JournalError("DAY_BEGUN_TWICE", path=str(path), before=str(self._config.journal.file))
        config = self._config.with_journal(path)
        identity = identity_of(config, self._folder)
        closes = _is_left_open(ledger, self._config.journal.file)
        journal = Journal.open(path, self._clock, self._key, kept_files(config))
        with closing(journal):
            written = journal.append(
                [
                    opened_entry(identity),
                    started_entry(self._mode, version("stand17"), self._known),
                    *self._taken_over(ledger, closes=closes),
                    *_held(journal.findings),
                ]
            )
            new = open_ledger(written[0])
            for entry in written[1:]:
                new = follow(new, entry)
            answer = None if opener is None else self._opened(journal, new, opener)
            return BegunDay(path.name, answer, closes)

    def end(self, name: str, left: Sequence[Item]) -> None:
        """Continue the table in the file of this name, which first takes the items `left`."""
        self.next = NextDay(self._config.with_journal(self._config.journal.file.with_name(name)), tuple(left))
        self.ended.set()

    def late(self, items: Sequence[Item]) -> None:
        """Items that came behind the end."""
        assert self.next is not None, "the day goes on"
        self.next = self.next._replace(left=(*self.next.left, *items))

    def failed(self, error: TableError) -> Trouble:
        """Return the alert for the pit after the file could not be begun; it is tried again later."""
        self._retry_us = self._clock.utc_us() + RETRY_US
        if error.code == _UNLIKELY:
            return Trouble(_UNLIKELY, tuple(error.params.items()), hold=False)
        return Trouble("DAY_NOT_BEGUN", (("reason", error.code),), hold=False)

    def _require_likely(self) -> None:
        """Raise `JournalError` DAY_UNLIKELY, once for each day, where the clock may show a wrong date."""
        day, today = self._day(), self._today()
        assert day is not None, "one file holds all days"
        put_forward = self._clock_ahead_us() - self._ahead_us >= _PUT_FORWARD_US
        if (put_forward or (today - day).days > _UNUSED_DAYS) and self._asked != today:
            self._asked = today
            raise JournalError(_UNLIKELY, day=str(today), last=str(day))

    def _clock_ahead_us(self) -> int:
        """Return the lead of the clock over the machine's monotonic one."""
        return self._clock.utc_us() - self._clock.mono_ns() // 1000

    def _taken_over(self, ledger: Ledger, *, closes: bool) -> list[NewEntry]:
        entries = [
            NewEntry(one.kind, encoded(one.body), one.actor, 1)
            for one in carried_entries(ledger, self._config.journal.file.name, first=3)
        ]
        if closes:
            params = {"day": str(self._day()), "journal": self._config.journal.file.name}
            body = {"code": _NOT_CLOSED, "severity": "warning", "round": 1, "params": params}
            entries.append(NewEntry("trouble", encoded(body), SYSTEM, 1))
        return entries

    def _opened(self, journal: Journal, ledger: Ledger, opener: SubmittedCommand) -> CommandAnswer:
        """Take the command that opens the table; no screen has shown an entry of this file yet."""
        answers: list[CommandAnswer] = []
        door = TableDoor(journal, ledger, self._clock, mode=self._mode)
        door.take(SubmittedCommand(opener.command._replace(expected_seq=None), answers.append))
        return answers[0]

    def _day(self) -> date | None:
        days = self._config.journal.days
        return None if days is None else days.day_of(self._config.journal.file.name)

    def _today(self) -> date:
        return gaming_day(self._clock.utc_us(), self._config.journal.day_begins)


def _held(findings: Sequence[Trouble]) -> list[NewEntry]:
    """Why the new day's table waits, such as kept heads of an earlier file of this name."""
    return [
        NewEntry("held", encoded({"code": one.code, "params": dict(one.params)}), SYSTEM, 1)
        for one in findings
    ]


HOLD: Final = "TAKEN_OVER"


def taken_over(copy: Path, config: TableConfig, by: str, second: str, public: str = "") -> CopiedJournal:
    """Lay the journal of this table out of a copy; raises as `checked_copy` and `take_over`.

    `by` and `second` have answered for it: `require_two` and `require_pins`, or the console's account twice.
    """
    config = with_journal_of(copy, config)
    copied, clock = checked_copy(copy, public), SystemClock()
    number = _round_of(copied, config)
    key = table_key(config)
    news = _news(key, number, {"by": by, "second": second, "seq": len(copied.entries)})
    for stop in clock_put_back(copied.entries[-1].at_utc_us, clock.utc_us()):
        news.append(
            NewEntry("held", encoded({"code": stop.code, "params": dict(stop.params)}), SYSTEM, number)
        )
    journal = take_over(config.journal.file, copied, key, clock, news)
    try:
        since = 0 if any(head.key == key.public for head in copied.heads) else len(copied.entries) + 1
        signer = HeadSigner(config.journal.file.resolve(), config.table.name, key, since=since)
        signer.sign(journal.head(), number, clock.utc_us(), "start")
        journal.vouch(signer.mark)
    finally:
        journal.close()
    return copied


def with_journal_of(copy: Path, config: TableConfig) -> TableConfig:
    """The configuration with the journal that a copy is of, where each day has a file."""
    days, name = config.journal.days, copy.name.removesuffix(COPY)
    if days is None or days.day_of(name) is None:
        return config
    return config.with_journal(days.folder / name)


def _round_of(copied: CopiedJournal, config: TableConfig) -> int:
    """Fold the copy; the round that it ends in. Raises `ConfigError` OTHER_TABLE."""
    ledger = restore(copied.entries)
    assert ledger is not None, "a copy without entries was taken"
    if ledger.opening.table != config.table.name:
        raise ConfigError("OTHER_TABLE", table=ledger.opening.table, rules=ledger.opening.rules.name)
    return ledger.state.book.number


def _news(key: TableKey, number: int, who: dict[str, str | int]) -> list[NewEntry]:
    """That another machine goes on behind the copy, under which key, who answers for it, and the hold."""
    start = {"mode": "live", "program": version("stand17"), "key": key.public, "taken_over": who}
    return [
        NewEntry("started", encoded(start), SYSTEM),
        NewEntry("held", encoded({"code": HOLD, "params": who}), SYSTEM, number),
    ]


def require_two(config: TableConfig, by: str, second: str) -> None:
    """Raise `ConfigError` TAKEOVER_BY_TWO where these two may not answer for a takeover."""
    working = live_people(config.people, config.journal.file).book.register().working
    known = {one.id for one in working if one.role in PIT_STAFF}
    if by == second or not known >= {by, second}:
        raise ConfigError("TAKEOVER_BY_TWO", by=by, second=second)


def require_pins(config: TableConfig, pins: Mapping[str, str]) -> None:
    """Raise `ConfigError` TAKEOVER_PIN_WRONG for the first person with a wrong PIN."""
    register, hasher = live_people(config.people, config.journal.file).book.register(), PinHasher()
    for person_id, pin in pins.items():
        record = register.person(person_id)
        if record is None or not hasher.matches(record.pin, pin) or len(pin) < PIN_DIGITS_MIN[record.role]:
            raise ConfigError("TAKEOVER_PIN_WRONG", id=person_id)
