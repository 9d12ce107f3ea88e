"""The whole table from a seed, with every fault that it brings: `python -m tests.whole.simulate --seed N`."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Annotated, Final

import typer

from controller.cli.output import print_object
from controller.config import TableConfig
from controller.devices.kept import RecordedJournal, recorder_handle, recordings_folder
from controller.domain import JournalError
from controller.journal.checking import verify, verify_signed
from controller.journal.copying import copy_file
from controller.journal.head_file import TableKey
from controller.journal.store import JournalReader, compared
from controller.main.beside import TableCopy, require_continued
from controller.main.program import program_start
from controller.main.record import (
    OpenedJournal,
    begin_record,
    identity_of,
    open_journal,
    table_door,
)
from controller.main.trust import kept_files, places, table_key
from controller.ports import Clock, Health, ReportSink, SideDisk, StartWork
from controller.rules import load_file, with_overrides
from controller.runtime.restore import ProgramStart, ResultVerifier, restore
from controller.simulation.cameras import OVERHEAD, write_layout
from tests.whole.broken import require
from tests.whole.devices.seeded_inputs import KEYPAD, TRAY
from tests.whole.disk import CUTS, PowerLost
from tests.whole.invariants import NAMED_AFTER_LIE
from tests.whole.long_run import LongRun
from tests.whole.open_table import OpenTable, deepened
from tests.whole.recorded import check_copy, check_kept, check_recorded
from tests.whole.script import SeededScript, read_script, shrunk
from tests.whole.shift import SeededShift, ShiftEnd
from tests.whole.side_files import KEPT
from tests.whole.table_float import check_float

SHIFT_ROUNDS: Final = 25
"""Rounds of one journal: each shift ends with a walk through all of it."""

Overrides = Mapping[str, object]
NO_OVERRIDES: Final[Overrides] = MappingProxyType({})


def simulate(
    *,
    seed: Annotated[int, typer.Option(help="The first shift's; the next ones follow it.")] = 17,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds in all.")] = 100,
    ends: Annotated[int, typer.Option(min=1, help="So many times as often the program is ended.")] = 1,
    kept: Annotated[Path | None, typer.Option(help="Go on from the figures in this file.")] = None,
    script: Annotated[Path | None, typer.Option(help="Play a kept script instead.")] = None,
    shrink: Annotated[Path | None, typer.Option(help="Write the shortest failing script here.")] = None,
) -> None:
    """Play whole tables from seeds: real journal, door, screens; time, disk, devices and people of the seed.

    One line for each seed of which something did not hold, one for each kind of fault with the states of the
    round that it has never met, then the figures. Exit status 1 where one failed. The next seeds are steered
    to what was never met. A run that was stopped goes on behind its last whole shift where it was `kept`.
    """
    run = LongRun(kept)
    while script is not None or run.figures["shifts"] * SHIFT_ROUNDS < rounds:
        began, done = time.monotonic(), run.figures["shifts"]
        plan = run.next_script(seed + done, ends) if script is None else read_script(script)
        end = play(plan, min(SHIFT_ROUNDS, rounds - done * SHIFT_ROUNDS))
        run.add(plan, end, round(1000 * (time.monotonic() - began)))
        if end.broken is not None:
            _print_broken(plan, end, shrink)
        if script is not None:
            break
    for line in run.coverage():
        print_object({"type": "fault_coverage", **line})
    figures = run.figures
    hourly = round(figures["rounds"] * 3_600_000 / max(1, figures["ms"]))
    total = {"failed": 0, "rounds_per_hour": hourly, **figures, "coverage": run.totals()}
    print_object({"type": "simulated", **total})
    raise typer.Exit(1 if figures["failed"] else 0)


def _print_broken(plan: SeededScript, end: ShiftEnd, shrink: Path | None) -> None:
    """Print what did not hold, and write the shortest script that fails so, where it is asked for."""
    assert end.broken is not None, "nothing has failed"
    where = {"seed": plan.seed, "ends": plan.ends, "step": len(end.steps), "steer": plan.steer}
    print_object({"type": "broken", **where, "code": end.broken.code, "text": end.broken.text})
    if shrink is not None:
        shortest(plan, end).write(shrink)


def play(script: SeededScript, rounds: int = SHIFT_ROUNDS, overrides: Overrides = NO_OVERRIDES) -> ShiftEnd:
    """Play one script in a folder of its own; `overrides` as a table's `rule_overrides`."""
    with tempfile.TemporaryDirectory(prefix="stand17-seed-") as folder:
        opening = RunOpening(Path(folder), script, overrides)
        shift = SeededShift(script, opening.journal, opening.open, opening.rules)
        return shift.play(rounds, opening.check)


def shortest(script: SeededScript, end: ShiftEnd) -> SeededScript:
    """The shortest script that fails as this one did."""
    broken = end.broken
    assert broken is not None, "nothing has failed"

    found = end.failure(broken)
    assert found is not None, "it fails as it failed"
    return shrunk(script._replace(story=str(broken)), found, lambda one: play(one).failure(broken))


class RunOpening:
    """Opens a table by the way of `run`, in a folder."""

    def __init__(self, folder: Path, script: SeededScript, overrides: Overrides = NO_OVERRIDES) -> None:
        """The key is made; nothing is open yet."""
        folder = deepened(folder)
        self.journal, self.kept = folder / "table.journal", folder / KEPT
        self.kept.mkdir()
        house, source = script.house, script.cards_from
        chips = {"name": TRAY, "port": TRAY}
        camera = {"name": OVERHEAD, "source": "0", "layout": write_layout(folder)}
        self._config = TableConfig.model_validate(
            {
                "table": {"name": "SEED", "rules": house, "rule_overrides": {**overrides}},
                "journal": {"file": self.journal, "copy_folder": self.kept},
                "signing": {"keep_folder": self.kept},
                "shoe": None if source == "camera" else {"port": "seeded"},
                "camera": [] if source == "shoe" else [camera],
                "witnesses": {"source": source},
                "keypad": [{"name": KEYPAD, "port": KEYPAD}] if script.more else [],
                "chips": [chips] if script.more else [],
                "software": {"allow_unreleased": True},
            }
        )
        self.rules = with_overrides(load_file(house, Path()).rules, {**overrides})
        self._nonces = Random(f"nonces {script.seed}").randbytes
        self._key: TableKey = table_key(self._config, self._nonces)
        self._known = _known(self._config)

    def open(
        self, clock: Clock, disk: SideDisk, health: Callable[[], tuple[Health, ...]], post: ReportSink
    ) -> OpenTable:
        """Open the table on its journal; a lock is released where that fails."""
        require_continued(self._config)
        journal = open_journal(self._config, clock, self._key, disk)
        try:
            return self._begun(journal, clock, health, post)
        except BaseException:  # a process that ends while it comes up leaves no lock
            with suppress(JournalError, PowerLost):
                journal.close()
            raise

    def _begun(
        self,
        journal: RecordedJournal,
        clock: Clock,
        health: Callable[[], tuple[Health, ...]],
        post: ReportSink,
    ) -> OpenTable:
        config = self._config
        known = (("key", self._key.public), *self._known.recorded, *config.witnesses.recorded)
        opened = OpenedJournal(journal, self._key, self._known._replace(recorded=known), self._nonces)
        record = begin_record(config, opened, identity_of(config, Path()), "live", clock)
        door = table_door(config, record, clock, mode="live", health=health)
        rules = record.ledger.opening.rules
        recorder = recorder_handle(config, rules, "live", journal=journal, clock=clock, post=post)
        heads = record.heads
        kept = places(config, self._key.public, journal.disk)
        copy = TableCopy(config, post, clock, heads.doubt, journal.disk)

        def open_beside(post: ReportSink, start: StartWork) -> None:
            asyncio.get_running_loop().create_task(copy.follow(door.hub, start))
            heads.open(kept, post, door.ledger.state.book.number, start)
            recorder.open(start)

        def close_beside() -> None:
            heads.close(door.ledger.state.book.number)
            copy.close(door.ledger)
            recorder.close()

        return OpenTable(door, journal, open_beside, close_beside, config, recorder.tap, self.named)

    def named(
        self, journal: Path, verifier: ResultVerifier | None = None, kept: Path | None = None
    ) -> set[str]:
        """What `verify --key --kept` and the next start say of a journal that is closed.

        `kept` is the file of kept heads, the table's own when left out.
        """
        files, found = kept_files(self._config) if kept is None else (kept,), set[str]()
        try:
            walked = verify(journal, verifier or ResultVerifier(), lambda _seq: None)
            fault = verify_signed(journal, self._key.public, *files).fault
            found = {one.code for one in (walked.misfit, fault) if one is not None}
            start = compared(journal, self._key, files)
        except JournalError as error:
            return found | {error.code}
        found |= {one.code for one in start.findings}
        return found | (set() if walked.ok or found else {"NOT_OK"})

    def check(self, journal: Path, done: Mapping[str, int]) -> None:
        """Verify and fold a journal that is closed; raises `Broken`.

        Where a power cut took the note of the head back, or the disk did not take it, the table itself
        vouches only for what came after.
        """
        verifier = ResultVerifier()
        lost = done["note lost"] or done["io at head"] or done["full at head"]
        may_say = NAMED_AFTER_LIE if done["lying at signed"] else set[str]()
        found = self.named(journal, verifier) - may_say - ({"VOUCHED_SINCE"} if lost else set())
        require(not found, "NOT_VERIFIED", f"{found}")
        for kept in kept_files(self._config):
            check_kept(kept)
        check_copy(copy_file(self.kept, self.journal), self.journal)
        check_float(journal)
        check_recorded(journal, recordings_folder(self._config), torn=any(done[fault] for fault in CUTS))
        reader = JournalReader(journal)
        try:
            require(restore(reader.read()) == verifier.ledger, "FOLDED_OTHERWISE", "fold and verify differ")
        finally:
            reader.close()


_START: list[ProgramStart] = []


def _known(config: TableConfig) -> ProgramStart:
    """What is known of this program; its files are hashed once a process."""
    if not _START:
        _START.append(program_start(config, "live"))
    return _START[0]


if __name__ == "__main__":
    typer.run(simulate)
