"""A file for each gaming day: the running table begins the next one, and goes on there after every kill."""

import json
import secrets
import signal
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime
from datetime import time as clock_time
from pathlib import Path
from typing import Any, Final

import pytest

from controller.config import fits_in_name, gaming_day, load_config
from controller.devices.kept import RecordedJournal
from controller.domain import JournalError
from controller.journal.checking import verify, verify_signed
from controller.journal.entry import Entry, NewEntry
from controller.journal.head_file import TableKey
from controller.journal.store import Journal, JournalReader
from controller.main.record import ENDED, DayChange, OpenedJournal, end_day_before, file_at_start
from controller.ports import Report, SystemClock
from controller.runtime.api import AlertStep, Command, Resume
from controller.runtime.door import TableDoor
from controller.runtime.inbox import SubmittedCommand
from controller.runtime.restore import ProgramStart, ResultVerifier, restore
from tests.limits.run_kit import CONFIG, Running

DATED: Final = CONFIG.replace('"table.journal"', '"{{table}}-{{day}}.journal"')
EARLY, LATE = {"TZ": "<-12>12"}, {"TZ": "<+14>-14"}
"""Local times that are 26 hours apart: with the second one the next gaming day has begun."""


class LaterClock(SystemClock):
    """Two days ahead, by default."""

    days = 2

    def utc_us(self) -> int:
        return super().utc_us() + self.days * 86_400_000_000


def asked(running: Running, act: dict[str, Any]) -> dict[str, Any]:
    """Ask again while the page goes over to the next day's table, as a person does."""
    end = time.monotonic() + 60
    while True:
        try:
            status, said = running.command(act, command_id=secrets.token_hex(8))
        except OSError:
            status, said = 0, {}
        if status == 200:
            return said
        assert time.monotonic() < end, said
        assert said.get("code") in (None, "refused.TABLE_BUSY", "refused.STALE_COMMAND"), said
        time.sleep(0.1)


def told(running: Running, **obs: Any) -> dict[str, Any]:
    return asked(running, {"do": "observe", "obs": obs})


def entries(path: Path) -> list[Entry]:
    with closing(JournalReader(path)) as reader:
        return [entry for entry in reader.read() if isinstance(entry, Entry)]


def body(entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(entry.body)
    return found


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def journals(folder: Path) -> list[Path]:
    return sorted(folder.glob("BJ1-*.journal"))


def one_day(folder: Path, *, closes: bool) -> Path:
    """A day at which the table is opened, a shoe comes and the float is counted."""
    with Running(folder, EARLY, config=DATED) as running:
        told(running, obs="table", state="open")
        told(running, obs="shoe", decks=6)
        if closes:
            told(running, obs="table", state="closed")
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 0
    (path,) = journals(folder)
    return path


def sound(path: Path) -> None:
    """What `verify --key` says."""
    assert verify(path, ResultVerifier(), lambda _seq: None).ok
    key = TableKey.load(path.parent / "table.key").public
    assert verify_signed(path, key).fault is None


def test_a_closed_table_goes_on_in_a_new_file_when_it_is_opened(tmp_path: Path) -> None:
    before = one_day(tmp_path, closes=True)
    with Running(tmp_path, LATE, config=DATED) as running:
        pid = running.process.pid
        asked(running, {"do": "resume"})
        assert journals(tmp_path) == [before]
        said = told(running, obs="table", state="open")
        _, after = journals(tmp_path)
        assert said["seq"] <= 10
        # The same process, the same port, and D-17 is still signed in.
        assert running.process.poll() is None
        assert running.process.pid == pid
        told(running, obs="bet", box=1, seat=0, stake=1000)
        assert running.state()["boxes"][0]["box"] == 1
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 0
    old, new = entries(before), entries(after)
    assert (old[-1].kind, body(old[-1])) == (ENDED, {"next": after.name})
    assert [entry.kind for entry in new[:3]] == ["opened", "started", "carried"]
    assert body(new[0])["follows"]["journal"] == before.name
    assert body(new[2])["shoe"]["loaded"] == 1
    opened = next(entry for entry in new if entry.kind == "fact")
    assert (body(opened)["obs"], body(opened)["state"], opened.actor) == ("table", "open", "dealer:D-17")
    assert {entry.round_id for entry in new} <= {None, 1}
    assert not any(entry.kind == "held" for entry in new)
    sound(before)
    sound(after)


def test_a_day_that_never_closed_is_closed_by_the_next_one(tmp_path: Path) -> None:
    before = one_day(tmp_path, closes=False)
    with Running(tmp_path, LATE, config=DATED) as running:
        asked(running, {"do": "resume"})
        until(lambda: len(journals(tmp_path)) == 2)
        _, after = journals(tmp_path)
        until(lambda: entries(before)[-1].kind == ENDED)
        running.process.send_signal(signal.SIGKILL)
        running.process.wait(30)
    closing_fact, ended = entries(before)[-2:]
    assert (body(closing_fact)["obs"], body(closing_fact)["state"]) == ("table", "closed")
    assert ended.kind == ENDED
    alert = next(body(entry) for entry in entries(after) if entry.kind == "trouble")
    assert (alert["code"], alert["params"]["journal"]) == ("DAY_NOT_CLOSED", before.name)
    # After the kill the table goes on in the newest file.
    with Running(tmp_path, LATE, config=DATED) as running:
        assert len(journals(tmp_path)) == 2
        asked(running, {"do": "resume"})
        told(running, obs="bet", box=1, seat=0, stake=1000)
    sound(before)


def test_a_next_file_that_was_taken_away_is_missed(tmp_path: Path) -> None:
    before = one_day(tmp_path, closes=True)
    with Running(tmp_path, LATE, config=DATED) as running:
        asked(running, {"do": "resume"})
        told(running, obs="table", state="open")
        until(lambda: entries(before)[-1].kind == ENDED)
        running.process.send_signal(signal.SIGKILL)
        running.process.wait(30)
    _, after = journals(tmp_path)
    for path in tmp_path.glob(f"{after.name}*"):
        path.unlink()
    config = load_config(tmp_path / "table.toml")
    with pytest.raises(JournalError) as caught:
        file_at_start(config, SystemClock())
    assert (caught.value.code, caught.value.params["path"]) == ("JOURNAL_CUT_OFF", str(after))


def test_a_kill_before_the_first_commit_of_a_day_leaves_the_day_before(tmp_path: Path) -> None:
    before = one_day(tmp_path, closes=True)
    config = load_config(tmp_path / "table.toml")
    later = config.journal.days
    assert later is not None
    begun = later.file_of(date(2099, 1, 1))
    begun.touch(0o600)
    assert file_at_start(config, SystemClock()) == before
    Journal.open(begun, SystemClock()).close()
    assert file_at_start(config, SystemClock()) == before
    Journal.open(begun, SystemClock()).append([NewEntry("opened", b"{}", "system:table")])
    assert file_at_start(config, SystemClock()) == begun
    begun.unlink()
    with pytest.raises(JournalError) as caught:
        file_at_start(config, SystemClock())
    assert caught.value.code == "JOURNAL_CUT_OFF"


def killed_before_its_end(before: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Begin the next file as the table does, and nothing after it; the new file."""
    folder = before.parent
    config, key = load_config(folder / "table.toml"), TableKey.load(folder / "table.key")
    journal = RecordedJournal.open(before, SystemClock(), key)
    ledger = restore(journal.read())
    assert ledger is not None
    opened = OpenedJournal(journal, key, ProgramStart((("key", key.public),)))
    monkeypatch.setenv("TZ", LATE["TZ"])
    time.tzset()
    try:
        DayChange(config, folder, "live", opened, SystemClock()).begin(ledger, None)
    finally:
        monkeypatch.undo()
        time.tzset()
    journal.close()
    return journals(folder)[-1]


@pytest.mark.parametrize("closes", [True, False], ids=["closed", "left open"])
def test_a_start_writes_the_end_of_a_day_that_a_kill_left_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, closes: bool
) -> None:
    before = one_day(tmp_path, closes=closes)
    after, written = killed_before_its_end(before, monkeypatch), len(entries(before))
    with Running(tmp_path, LATE, config=DATED) as running:
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 0
    old = entries(before)
    assert (old[-1].kind, body(old[-1])) == (ENDED, {"next": after.name})
    assert [body(entry).get("state") for entry in old[written:-1]] == ([] if closes else ["closed"])
    sound(before)
    sound(after)
    config = load_config(tmp_path / "table.toml").with_journal(after)
    end_day_before(config, TableKey.load(tmp_path / "table.key"), SystemClock(), "live")
    assert len(entries(before)) == len(old)
    for path in tmp_path.glob(f"{after.name}*"):
        path.unlink()
    with pytest.raises(JournalError) as caught:
        file_at_start(load_config(tmp_path / "table.toml"), SystemClock())
    assert (caught.value.code, caught.value.params["path"]) == ("JOURNAL_CUT_OFF", str(after))


def test_a_kill_before_the_opening_is_written_leaves_a_closed_table_in_the_next_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new file is on the disk without the opening that began it; the command was not answered."""
    before = one_day(tmp_path, closes=True)
    after = killed_before_its_end(before, monkeypatch)
    bet = {"do": "observe", "obs": {"obs": "bet", "box": 1, "seat": 0, "stake": 1000}}
    with Running(tmp_path, LATE, config=DATED) as running:
        asked(running, {"do": "resume"})
        assert running.command(bet) == (409, {"code": "refused.TABLE_CLOSED", "params": {}})
        told(running, obs="table", state="open")
        assert running.command(bet)[0] == 200
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 0
    assert journals(tmp_path) == [before, after]
    sound(before)
    sound(after)


@pytest.mark.parametrize("running", [True, False], ids=["while it runs", "before the start"])
def test_a_clock_far_ahead_begins_no_file_before_the_pit_has_checked_the_date(
    tmp_path: Path, *, running: bool
) -> None:
    before = one_day(tmp_path, closes=True)
    config, key = load_config(tmp_path / "table.toml"), TableKey.load(tmp_path / "table.key")
    clock = LaterClock()
    clock.days = 0 if running else 900
    journal = RecordedJournal.open(before, clock, key)
    ledger = restore(journal.read())
    assert ledger is not None
    change = DayChange(config, tmp_path, "live", OpenedJournal(journal, key, ProgramStart()), clock)
    clock.days = 1 if running else 900
    door = TableDoor(journal, ledger, clock, mode="live")
    door.take(SubmittedCommand(Command("c1", "p7", "pit", None, Resume()), lambda _: None))
    with pytest.raises(JournalError) as caught:
        change.begin(door.ledger, None)
    assert caught.value.code == "DAY_UNLIKELY"
    door.take(Report("journal", 0, (), (change.failed(caught.value),)))
    assert journals(tmp_path) == [before]
    (alert,) = [one for one in door.ledger.alerts if one.code == "DAY_UNLIKELY"]
    clock.days += 1
    # The minute until the next try is over.
    assert not change.due(door.ledger)
    clock.days -= 1
    step = AlertStep(alert.alert, "resolve", "the date is right")
    door.take(SubmittedCommand(Command("c2", "p7", "pit", None, step), lambda _: None))
    assert not [one for one in door.ledger.alerts if one.code == "DAY_UNLIKELY"]
    change.begin(door.ledger, None)
    assert len(journals(tmp_path)) == 2
    journal.close()


@pytest.mark.parametrize("name", ["a/b", "..", "-x", ".hidden", " x", ""])
def test_a_table_whose_name_fits_no_file_is_refused(name: str) -> None:
    assert not fits_in_name(name)


def test_a_gaming_day_begins_when_the_house_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Amsterdam")
    time.tzset()
    try:
        night = int(datetime(2026, 11, 29, 4, 59, tzinfo=UTC).timestamp() * 1e6)
        assert gaming_day(night, clock_time(6)) == date(2026, 11, 28)
        assert gaming_day(night + 60_000_000, clock_time(6)) == date(2026, 11, 29)
        # The night in which summer ends has 25 hours.
        autumn = int(datetime(2026, 10, 25, 4, 30, tzinfo=UTC).timestamp() * 1e6)
        assert gaming_day(autumn, clock_time(6)) == date(2026, 10, 24)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_next_file_that_the_table_did_not_go_on_in_is_refused(tmp_path: Path) -> None:
    """The disk refuses the new file's commit and keeps it all the same; the day before goes on."""
    before = one_day(tmp_path, closes=True)
    config, key = load_config(tmp_path / "table.toml"), TableKey.load(tmp_path / "table.key")
    journal = RecordedJournal.open(before, SystemClock(), key)
    ledger = restore(journal.read())
    assert ledger is not None
    opened = OpenedJournal(journal, key, ProgramStart((("key", key.public),)))
    change = DayChange(config, tmp_path, "live", opened, LaterClock())
    change.begin(ledger, None)
    assert file_at_start(config, SystemClock()) == journals(tmp_path)[-1] != before
    journal.append([NewEntry("day_ended", b'{"next":"x"}', "system:table", 1)])
    assert file_at_start(config, SystemClock()) != before
    journal.append([NewEntry("held", b'{"code":"FROZEN","params":{"note":""}}', "pit:p7", 1)])
    journal.close()
    files = {path: path.read_bytes() for path in tmp_path.glob("BJ1-*.journal")}
    with pytest.raises(JournalError) as caught:
        file_at_start(config, SystemClock())
    assert caught.value.code == "DAY_BEGUN_TWICE"
    with pytest.raises(JournalError) as caught:
        change.begin(ledger, None)
    assert caught.value.code == "DAY_BEGUN_TWICE"
    assert {path: path.read_bytes() for path in files} == files
