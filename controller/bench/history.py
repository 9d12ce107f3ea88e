"""`stand17 bench history`: a journal of many years' entries opened, shown and verified."""

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Annotated, Any, Final

import typer

from controller.bench.table import STAKE, play_round, shuffled
from controller.domain.observations import Bet, CardSeen, Observation, ShoeLoaded
from controller.domain.rules import RuleSet
from controller.engine import TableState, new_table, step
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.ports import Report, SystemClock, Trouble
from controller.rules import load_rules
from controller.runtime.api import Command, CommandAnswer, Observe, Rejected, Resume
from controller.runtime.door import Item, SubmittedCommand, TableDoor
from controller.runtime.restore import Identity, start
from controller.runtime.table import Table
from controller.runtime.unread import set_aside_in
from controller.runtime.verify_results import ResultVerifier
from controller.screens.table_screens import TableScreens

ENTRIES: Final = 1_000_000
ALERTS: Final = 23_000
BOXES: Final = 7
BATCH: Final = 40
"""Rounds that are committed together; a live table commits each act by itself."""

LEFT_FOR_A_ROUND: Final = 78
"""Fewer cards than this in the shoe, and a new one is loaded before the bets."""

Told = Observation | Trouble
"""What the table is told while the journal is made."""


def history(
    entries: Annotated[int, typer.Option(min=1000, help="Entries of the journal.")] = ENTRIES,
    alerts: Annotated[int, typer.Option(min=0, help="Alerts among them that nobody resolves.")] = ALERTS,
    folder: Annotated[Path | None, typer.Option(help="A folder on the disk to measure.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make a journal through the table's own door; then open it, draw its first page and verify it.

    The view's bytes after the first hundred rounds and at the end say whether it grows with history.
    """
    with tempfile.TemporaryDirectory(prefix="stand17-history-", dir=folder) as scratch:
        report = measure(Path(scratch) / "table.journal", entries, alerts)
    typer.echo(json.dumps(report) if as_json else "\n".join(f"{key}: {report[key]}" for key in report))


def measure(path: Path, entries: int, alerts: int) -> dict[str, Any]:
    """Make, open, show and verify; seconds, bytes and counts by name."""
    identity = Identity("T1", load_rules("nl", {}, Path()), "EUR")
    began = perf_counter()
    early = make(path, identity, entries, alerts)
    made_s = perf_counter() - began
    opened, began_cpu = perf_counter(), process_time()
    journal = Journal.open(path, SystemClock())
    door = TableDoor(journal, start(journal, identity, "live", "bench"), SystemClock(), mode="live")
    open_s, open_cpu_s = perf_counter() - opened, process_time() - began_cpu
    report = {
        "type": "bench_history",
        "entries": journal.head().seq,
        "alerts": len(door.ledger.alerts),
        "file_mb": round(path.stat().st_size / 1e6),
        "make_s": round(made_s, 1),
        "open_s": round(open_s, 1),
        "open_cpu_s": round(open_cpu_s, 1),
        **shown(door, early),
    }
    journal.close()
    began = perf_counter()
    told = verify(path, ResultVerifier(set_aside_in(path)), lambda _: None)
    return {**report, "verify_s": round(perf_counter() - began, 1), "verified": told.ok}


def shown(door: TableDoor, early: int) -> dict[str, float]:
    """Draw the first page, and read the first and the last page of the audit trail."""
    began = perf_counter()
    door.show()
    body = view_of(door)
    view_ms = (perf_counter() - began) * 1000
    pages = []
    for first in (1, door.ledger.seq - 499):
        began = perf_counter()
        door.audit(first, 500, door.secrets())
        pages.append((perf_counter() - began) * 1000)
    return {
        "view_bytes_after_100_rounds": early,
        "view_bytes": len(body),
        "view_ms": round(view_ms, 1),
        "audit_first_ms": round(pages[0], 1),
        "audit_last_ms": round(pages[1], 1),
    }


def view_of(door: TableDoor) -> str:
    """Draw the page as a screen gets it."""

    async def draw() -> str:
        return TableScreens(Table(door), door.hub, perf_counter).broadcaster.latest().body

    return asyncio.run(draw())


def make(path: Path, identity: Identity, entries: int, alerts: int) -> int:
    """Deal until there are so many entries; the bytes of the view after the first hundred rounds."""
    journal = Journal.open(path, SystemClock())
    door = TableDoor(journal, start(journal, identity, "live", "bench"), SystemClock(), mode="live")
    early, numbers = 0, iter(range(1, entries * 2))
    for dealt, batch in enumerate(_batches(identity.rules, entries, alerts, door), start=1):
        door.take(*(_item(observation, next(numbers)) for observation in batch))
        if any(hold.code == "JOURNAL_SLOW" for hold in door.ledger.holds):
            door.take(_command(Resume(), next(numbers)))
        if early == 0 and dealt * BATCH >= 100:
            early = len(view_of(door))
    journal.close()
    return early


def _batches(rules: RuleSet, entries: int, alerts: int, door: TableDoor) -> Iterator[list[Told]]:
    """Rounds by basic strategy, so many together, until the journal is long enough."""
    shoes, state = shuffled(rules.decks, Random(1), count=20), new_table(rules)
    cards, bets = next(shoes), [Bet(box, 0, STAKE) for box in range(1, BOXES + 1)]
    while door.ledger.seq < entries:
        batch: list[Told] = []
        for _ in range(BATCH):
            if len(cards) < LEFT_FOR_A_ROUND:
                cards = next(shoes)
                fresh = ShoeLoaded(rules.decks)
                batch.append(fresh)
                state = step(state, fresh).state
            if state.book.number <= alerts:
                batch.append(_miscounted(state.book.number))
            state = play_round(state, bets, cards, _forget)
            batch += [fact.obs for fact in state.log]
        yield batch


def _forget(_: TableState) -> None:
    """Keep no state between a round's start and its end."""


def _miscounted(number: int) -> Trouble:
    """A rack that counts another number each round: an alert of its own that nobody resolves."""
    return Trouble("RACK_DIFFERS", (("name", "rack"), ("counted", number), ("expected", 0)), hold=False)


def _item(told: Told, number: int) -> Item:
    if isinstance(told, Trouble):
        return Report("rack", 0, (), (told,))
    if isinstance(told, CardSeen):
        return Report("shoe", 0, (told,))
    return _command(Observe(told), number)


def _command(action: Observe | Resume, number: int) -> SubmittedCommand:
    return SubmittedCommand(Command(f"bench-{number}", "bench", "system", None, action), _taken)


def _taken(answer: CommandAnswer) -> None:
    assert not isinstance(answer, Rejected), answer
