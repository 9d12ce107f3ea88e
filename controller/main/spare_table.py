"""A table taken over from the copy of its journal: two names, a start, and a hold until it was compared."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

from controller.config import TableConfig
from controller.domain import ConfigError
from controller.floor.archive import COPY
from controller.journal.copying import CopiedJournal, checked_copy, take_over
from controller.journal.entry import NewEntry
from controller.journal.head_file import TableKey
from controller.journal.heads import HeadSigner
from controller.main.signing import table_key
from controller.main.table_people import live_people
from controller.people.person import PIN_DIGITS_MIN, PinHasher
from controller.policy.line import PIT_STAFF
from controller.ports import SystemClock
from controller.runtime.draft import encoded
from controller.runtime.restore import SYSTEM, clock_put_back, restore

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
