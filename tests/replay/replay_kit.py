"""Feeds played through a real table into a journal file, and the program as a tester calls it."""

import asyncio
import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NamedTuple

from controller.acts.catalogue import CardSeen, Observation, Reveal
from controller.cli import main
from controller.domain import Refused, RuleSet
from controller.feed.codec import to_json
from controller.feed.feed_lines import FeedLine, open_feed
from controller.feed.replay import Script, open_script, play, to_lines
from controller.journal.entry import NewEntry
from controller.journal.store import Journal
from controller.ports import Report, Trouble
from controller.runtime.api import Accepted, Command, Observe, Rejected, Resume
from controller.runtime.door import TableDoor, TableTask
from controller.runtime.draft import Draft, encoded, evidence_of
from controller.runtime.inbox import TableLimits
from controller.runtime.ledger import house_before_profiles, open_ledger
from controller.runtime.redaction import unturned_card
from controller.runtime.restore import Identity, opened_entry, start
from controller.runtime.taking import take_trouble

Json = dict[str, Any]
FEEDS = Path(__file__).resolve().parent.parent / "feeds"
BEGIN_US = 1_795_000_000_000_000
FELT = "device:felt"
OLD_OPENING = ("table", "rules", "currency")
"""What the first entry of a journal said before houses had profiles."""
PROGRAM = [sys.executable, "-c", "from controller.cli import main; main()"]


class Said(NamedTuple):
    """What a call of the program printed, and how it ended."""

    returncode: int
    stdout: str
    stderr: str


def call(*arguments: str | Path, typed: str = "") -> Said:
    """The program as a tester calls it, in this process: a new one takes seconds to begin."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before, sys.argv = (sys.argv, sys.stdin), ["stand17", *map(str, arguments)]
    sys.stdin = io.StringIO(typed)
    status: object = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as ended:
        status = ended.code
    finally:
        sys.argv, sys.stdin = before
    assert isinstance(status, int), status
    return Said(status, *(stream.buffer.getvalue().decode() for stream in (out, err)))


def process(*arguments: str | Path) -> Said:
    """The program in a process of its own."""
    done = subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    return Said(done.returncode, done.stdout, done.stderr)


def objects(result: Said) -> list[Json]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def lines_of(rules: RuleSet, lines: Iterable[FeedLine]) -> list[Json]:
    """Every JSON line that a replay prints, the summary left out."""
    return [line for played in play(rules, lines) for line in to_lines(played, "x", lambda code, _: code)]


def lines_of_feed(feed: Path) -> list[Json]:
    with open_feed(str(feed)) as stream:
        script = open_script(stream, feed.parent)
        return lines_of(script.rules, script.lines)


class HandClock:
    """Stands still until the test moves it."""

    def __init__(self) -> None:
        self.t = 0.0

    def utc_us(self) -> int:
        return BEGIN_US + round(self.t * 1e6)

    def mono_ns(self) -> int:
        return round(self.t * 1e9)


Meanwhile = Callable[[TableTask, HandClock, int], None]
"""What else happens before the line of this number is told."""


def journal_of(feed: Path, path: Path) -> Path:
    """The journal of a feed at a table from before houses had profiles: what the rules take is a fact."""
    clock = HandClock()
    journal = Journal.open(path, clock)
    with open_feed(str(feed)) as stream:
        script = open_script(stream, feed.parent)
        ledger = open_ledger(journal.append([_opened_without_profile(script)])[0])
        for line in script.lines:
            clock.t = line.t
            draft = Draft(ledger, clock.utc_us())
            _put(draft, line.obs)
            journal.append(draft.entries, draft.at_utc_us)
            ledger = draft.ledger
    journal.close()
    return path


def _opened_without_profile(script: Script) -> NewEntry:
    entry = opened_entry(_identity(script))
    body = {name: value for name, value in json.loads(entry.body).items() if name in OLD_OPENING}
    return entry._replace(body=encoded(body))


def _put(draft: Draft, observation: Observation) -> None:
    """Take what the rules take; a card that would be turned too early stays as it lies."""
    state = draft.ledger.state
    if isinstance(observation, Reveal) and state.phase == "play" and unturned_card(state) is not None:
        take_trouble(draft, Trouble("HOLE_CARD_EXPOSED"), FELT)
        return
    fact = draft.propose("fact", to_json(observation), FELT)
    refused = [notice for notice in fact.folded.notices if isinstance(notice, Refused)]
    seq = None if refused else draft.take(fact)
    for notice in fact.folded.notices:
        kind, evidence = evidence_of(notice)
        if isinstance(notice, Refused):
            evidence = {"obs": to_json(observation), "code": notice.code, "params": dict(notice.params)}
        draft.add(kind, evidence, FELT if refused else "system:engine", seq)


def _identity(script: Script) -> Identity:
    house = house_before_profiles(script.rules.name)
    return Identity("BJ1", script.rules, script.header.currency, house)


def journal_of_table(feed: Path, path: Path, meanwhile: Meanwhile) -> Path:
    """Play a feed through a table, each line at its time, and give the journal that it leaves.

    A shoe deals the cards; people tell what is no card, and lift what holds the table.
    """
    asyncio.run(_play(feed, path, meanwhile))
    return path


async def _play(feed: Path, path: Path, meanwhile: Meanwhile) -> None:
    clock = HandClock()
    with open_feed(str(feed)) as stream:
        script = open_script(stream, feed.parent)
        lines = list(script.lines)
    journal = Journal.open(path, clock)
    ledger = start(journal, _identity(script), "simulation", "test")
    limits = TableLimits(journal_slow_ms=60_000)
    table = TableTask(TableDoor(journal, ledger, clock, mode="simulation", limits=limits))
    task = asyncio.create_task(table.run())
    for line in lines:
        clock.t = line.t
        meanwhile(table, clock, line.number)
        await _go_on(table)
        if isinstance(line.obs, CardSeen):
            table.post(Report("felt", clock.mono_ns(), (line.obs,)))
        else:
            await table.submit(Command("", "d1", "dealer", None, Observe(line.obs)))
        await _go_on(table)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    journal.close()


async def _go_on(table: TableTask) -> None:
    """Lift whatever the line brought about, as a pit that has looked; returns when all of it is settled."""
    await asyncio.sleep(0)
    answer: Accepted | Rejected = Accepted(0)
    while isinstance(answer, Accepted):
        answer = await table.submit(Command("", "p7", "pit", None, Resume(("camera:left",))))
    assert answer.code == "NOT_HELD", answer
