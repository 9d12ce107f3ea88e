"""People at the console and their sessions: the file, PINs, cards, counted tries, what ends a session."""

import asyncio
import io
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from controller.cli.people import add, people_app
from controller.config import PeopleSection, load_config
from controller.domain import ConfigError, TableError
from controller.main.trust import (
    TablePeople,
    demo_people,
    follow_brought,
    live_people,
    public_key_of,
    require_people,
)
from controller.people.access import AccessSettings
from controller.people.person import require_pin
from controller.people.sign_in import (
    PeopleChanged,
    PeopleListed,
    PinTries,
    SessionLimits,
    Sessions,
    changes_after,
)
from controller.people.store import BroughtPeople, PeopleFile, added, disabled, new_person, reset
from controller.ports import Report, SystemClock
from tests import people_kit
from tests.people_kit import BOOK, CHEAP, PINS

CONFIG = """
[table]
name = "BJ1"
rules = "nl"
[journal]
file = "day/BJ1.journal"
[shoe]
port = "/dev/null"
[web]
pins = { p7 = "%s", "no id" = "x", old = "$argon2i$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA" }
"""


class Console:
    """`stand17 people` on a configuration of old, the PIN from a pipe."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.config = folder / "table.toml"
        self.config.write_text(CONFIG % CHEAP.hash("1234"), encoding="utf-8")
        self.file = PeopleFile(folder / "day" / "people.json")

    def __call__(self, *words: str, typed: str = "") -> str:
        command, *others = words
        done = CliRunner().invoke(people_app, [command, str(self.config), *others], input=typed)
        if isinstance(done.exception, TableError):
            return done.exception.code
        assert done.exit_code == 0, done.output
        return done.output


@pytest.fixture
def console(tmp_path: Path) -> Console:
    return Console(tmp_path)


def test_the_first_is_an_administrator_and_the_names_of_old_are_taken_over(console: Console) -> None:
    assert console("add", "D-17", "dealer", typed="2702\n") == "FIRST_ADMINISTRATOR"
    said = console("add", "A-01", "administrator", "--name", "Ada", typed="270227\n")
    assert "p7" in said
    assert "no id" in said
    assert stat.S_IMODE(console.file.path.stat().st_mode) == 0o600
    text = console.file.path.read_text(encoding="utf-8")
    assert "270227" not in text
    assert "$argon2id$" in text
    people = console.file.register().people
    assert [(one.id, one.role) for one in people.values()] == [
        ("A-01", "administrator"),
        ("p7", "supervisor"),
    ]
    console("add", "D-17", "dealer", "--card", typed="2702\n0004711\n")
    assert console("add", "D-18", "dealer", "--card", typed="2702\n0004711\n") == "CARD_TAKEN"
    assert console("add", "D-17", "dealer", typed="2702\n") == "PERSON_KNOWN"
    assert console("disable", "A-01") == "LAST_ADMINISTRATOR"
    console("disable", "D-17")
    listed = [line.split("\t") for line in console("list").splitlines()]
    assert [line[:2] for line in listed] == [
        ["A-01", "administrator"],
        ["p7", "supervisor"],
        ["D-17", "dealer"],
    ]
    assert console.file.register().person("D-17") is None
    console("reset", "D-17", typed="3803\n")
    assert console.file.register().person("D-17") is not None
    assert console("reset", "X", typed="3803\n") == "PERSON_UNKNOWN"


@pytest.mark.parametrize(
    ("person_id", "role", "pin", "code"),
    [
        ("demo-x", "dealer", "2702", "PERSON_ID_WRONG"),
        ("a:b", "dealer", "2702", "PERSON_ID_WRONG"),
        ("", "dealer", "2702", "PERSON_ID_WRONG"),
        ("S-1", "supervisor", "27022", "PIN_TOO_SHORT"),
        ("D-1", "dealer", "270", "PIN_TOO_SHORT"),
        ("D-1", "dealer", "27o2", "PIN_TOO_SHORT"),
        ("D-1", "dealer", "1234", "PIN_TOO_EASY"),
        ("D-1", "dealer", "7777", "PIN_TOO_EASY"),
    ],
)
def test_ids_and_pins_are_checked_and_nothing_is_written(
    console: Console, person_id: str, role: str, pin: str, code: str
) -> None:
    console("add", "A-01", "administrator", typed="270227\n")
    before = console.file.path.read_bytes()
    assert console("add", "--", person_id, role, typed=f"{pin}\n") == code
    assert console.file.path.read_bytes() == before


def test_a_running_table_sees_each_change_and_keeps_its_people_when_the_file_breaks(tmp_path: Path) -> None:
    path = people_kit.people_file(tmp_path)
    running, console = PeopleFile(path), PeopleFile(path)
    assert running.register().person("D-18") is not None
    console.change(disabled("D-18"), "console:root", 5)
    assert running.register().person("D-18") is None
    (event,) = changes_after(running.register(), 8)
    assert event == PeopleChanged(9, "disabled", "D-18", "Name of D-18", "dealer", "console:root", 5)
    (first,) = changes_after(running.register(), 0)
    assert isinstance(first, PeopleListed)
    assert first.number == 9
    path.write_text("[", encoding="utf-8")
    assert running.register().person("D-17") is not None
    with pytest.raises(ConfigError, match="PEOPLE_UNREADABLE"):
        PeopleFile(path).register()


def test_a_live_table_opens_with_people_of_its_own_only(tmp_path: Path) -> None:
    journal = tmp_path / "t.journal"
    with pytest.raises(ConfigError, match="PEOPLE_MISSING"):
        require_people(live_people(PeopleSection(), journal), "live")
    demo = demo_people()
    with pytest.raises(ConfigError, match="DEMO_PEOPLE"):
        require_people(demo, "live")
    with pytest.raises(ConfigError, match="DEMO_PEOPLE"):
        require_people(TablePeople(demo.book, AccessSettings()), "live")
    require_people(demo, "simulation")
    people_kit.people_file(tmp_path)
    require_people(live_people(PeopleSection(), journal), "live")


def test_people_kept_at_one_table_come_to_others_and_nothing_forged_or_older_does(tmp_path: Path) -> None:
    office, other = Console(tmp_path / "office"), Console(tmp_path / "other")
    signed = tmp_path / "people.signed"
    office.config.write_text(f'{CONFIG % "x"}[people]\npublish = "{signed}"\n', encoding="utf-8")
    office("add", "A-01", "administrator", typed="270227\n")
    office("add", "D-17", "dealer", typed="2702\n")
    first = signed.read_bytes()
    key = public_key_of(load_config(office.config))
    section = f'[people]\nsource = "{signed}"\nsource_key = "{key}"\n'
    other.config.write_text(f"{CONFIG % 'x'}{section}", encoding="utf-8")
    config = load_config(other.config)
    brought = live_people(config.people, config.journal.file).brought
    assert brought is not None
    brought.bring()
    assert other.file.register() == office.file.register()
    assert stat.S_IMODE(signed.stat().st_mode) == stat.S_IMODE(other.file.path.stat().st_mode) == 0o600
    assert other("disable", "D-17") == "PEOPLE_KEPT_ELSEWHERE"
    office("disable", "D-17")
    asyncio.run(followed(brought, lambda _: other.file.register().person("D-17") is None))
    signed.write_bytes(first)
    assert asyncio.run(followed(brought, bool)) == ["PEOPLE_PUT_BACK"], "once, not at each look"
    signed.write_bytes(first.replace(b'"dealer"', b'"supervisor"'))
    assert asyncio.run(followed(brought, bool)) == ["PEOPLE_FORGED"]
    signed.unlink()
    brought.bring()
    assert other.file.register() == office.file.register()


async def followed(brought: BroughtPeople, until: Callable[[list[Report]], bool]) -> list[str]:
    """The alerts of a table that looks again and again, until something holds and some looks longer."""
    reports: list[Report] = []
    looking = asyncio.create_task(follow_brought(brought, reports.append, SystemClock(), 0.01))
    while not until(reports):
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    looking.cancel()
    return [trouble.code for report in reports for trouble in report.troubles]


class Clock:
    """A clock that a test moves, in seconds."""

    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s

    def utc_us(self) -> int:
        return int(self.now_s * 1_000_000)


def sessions(clock: Clock, book: PeopleFile | None = None) -> Sessions:
    names = iter(range(1000))
    return Sessions(book or BOOK, clock, lambda: f"token-{next(names)}", SessionLimits(3600, 120, 7200))


def test_sessions_end_unused_in_any_case_by_sign_out_and_with_a_change_of_their_person(
    tmp_path: Path,
) -> None:
    clock, file = Clock(), PeopleFile(people_kit.people_file(tmp_path))
    register = file.register()
    here = sessions(clock, file)
    dealer, pit = (here.open(register.people[one]) for one in ("D-17", "S-02"))
    clock.now_s += 119
    assert here.find(pit) is not None
    clock.now_s += 121
    assert here.find(pit) is None
    assert here.find(dealer) is not None
    for _ in range(3):
        clock.now_s += 3000
        here.find(dealer)
    assert here.find(dealer) is None, "no session outlives its longest time, however it is used"
    first, second = (here.open(register.people["D-17"]) for _ in range(2))
    assert here.end_all("D-17") == 2
    assert (here.find(first), here.find(second)) == (None, None)
    again = here.open(register.people["D-17"])
    file.change(reset("D-17", "9182", None, CHEAP), "console:root", 1)
    assert here.find(again) is None
    assert here.find("guess") is None
    assert here.dealer_id() is None
    quarter_us = 92 * 24 * 3600 * 10**6
    assert [file.register().is_pin_old("D-17", 1 + quarter_us + more) for more in (0, 1)] == [False, True]
    assert not BOOK.register().is_pin_old("D-17", 2 * quarter_us), "nobody knows since when he has it"


def test_a_grant_is_good_for_one_act_for_its_purpose_and_its_time() -> None:
    clock = Clock()
    here = sessions(clock)
    act = here.grant(BOOK.register().people["S-02"], "act")
    assert here.granted(act, "second") is None
    assert here.claim(act, "press-1")
    assert not here.claim(act, "press-2")
    assert here.claim(act, "press-1"), "an answer that was lost is asked for again"
    here.release(act, "press-1")
    assert here.claim(act, "press-2")
    second = here.grant(BOOK.register().people["S-03"], "second")
    clock.now_s += 61
    assert here.granted(second, "second") is None
    assert here.granted(act, "act") is not None


def test_tries_are_counted_before_they_are_checked_and_the_wait_grows() -> None:
    clock = Clock()
    tries = PinTries(clock.utc_us)
    begun = [taken(tries, "S-02", "10.0.0.9") for _ in range(30)]
    assert begun == [True] * 3 + [False] * 27, "thirty at once are three"
    waits = []
    for _ in range(9):
        before = clock.now_s
        while not taken(tries, "S-02", "10.0.0.9"):
            clock.now_s += 1
        waits.append(round(clock.now_s - before))
    assert waits == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]


def test_nobody_locks_a_pit_out_from_afar_and_many_places_are_one() -> None:
    tries = PinTries(Clock().utc_us)
    tries.passed("D-17", "10.0.0.4")
    guesses = [taken(tries, "S-02", f"10.7.{number // 250}.{number % 250}") for number in range(1000)]
    assert sum(guesses) == 3
    assert taken(tries, "S-02", "10.0.0.4"), "at the table's own tablet"
    assert taken(tries, "S-02", "127.0.0.1")


def taken(tries: PinTries, person: str, place: str) -> bool:
    try:
        tries.begin(person, place)
    except TableError as refusal:
        return refusal.code != "PIN_LOCKED"
    return True


def test_pins_of_old_hashes_and_of_nobody_are_checked_alike() -> None:
    assert CHEAP.matches(CHEAP.hash("270227"), "270227")
    assert not CHEAP.matches(CHEAP.hash("270227"), "270228")
    assert not CHEAP.matches("", "nobody")
    assert not CHEAP.matches("$argon2i$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA", "x")
    for person, role in people_kit.PEOPLE:
        require_pin(role, PINS[person])


def test_a_terminal_is_asked_twice(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def answering(*pins: str) -> Callable[[str], str]:
        left = iter(pins)
        return lambda _asked: next(left)

    monkeypatch.setattr("controller.cli.people.sys.stdin", Terminal())
    monkeypatch.setattr("controller.cli.people.getpass.getpass", answering("270227", "270228"))
    with pytest.raises(ConfigError, match="PINS_DIFFER"):
        add(console.config, "A-01", "administrator")
    assert not console.file.path.exists()
    file = PeopleFile(console.file.path)
    with pytest.raises(ConfigError, match="FIRST_ADMINISTRATOR"):
        file.change(added(new_person("D-1", "D", "dealer"), "2702", "", CHEAP), "console:root", 1)
