"""A table that goes on in a journal from before there were profiles."""

import asyncio
import json
import multiprocessing
import os
import shutil
import signal
from pathlib import Path
from typing import Final

import pytest

from controller.acts.catalogue import CardSeen, End, Strike
from controller.irregularities import FAULT_CODES
from controller.journal.checking import verify
from controller.policy import House
from controller.policy.line import DEFAULT_OPTIONS
from controller.rules import load_file
from controller.runtime.api import Accepted, Resume
from controller.runtime.restore import Identity, ResultVerifier, restore
from tests.replay.replay_kit import Said, call
from tests.runtime.runtime_kit import DEAL, ENDING, OPENING, Bench, entries

BEFORE: Final = Path(__file__).parents[1] / "journals" / "release_0.1.0_six_rounds.journal"
FILE: Final = load_file("spielbank", Path())
TODAY: Final = Identity("DEMO", FILE.rules, "EUR", House(FILE.irregularities, DEFAULT_OPTIONS))


async def round_until_killed(journal: Path) -> None:
    """Go on in the journal, deal a round to its end and one more card too many, and die."""
    async with Bench(journal, identity=TODAY) as bench:
        assert isinstance(await bench.ask(Resume()), Accepted)
        await bench.say(*OPENING)
        await bench.shoe(*DEAL)
        await bench.say(*ENDING)
        await bench.shoe(CardSeen("2", "d", by="shoe"))
        os.kill(os.getpid(), signal.SIGKILL)


def killed(journal: Path) -> None:
    asyncio.run(round_until_killed(journal))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal of release 0.1.0 in which this program has dealt until it was killed."""
    path = tmp_path / "t.journal"
    shutil.copy(BEFORE, path)
    process = multiprocessing.get_context("spawn").Process(target=killed, args=(path,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    return path


def test_a_killed_table_goes_on_in_it_by_the_profile_that_it_wrote_down(journal: Path) -> None:
    before = len(entries(BEFORE))
    adopted, started, *_ = entries(journal)[before:]
    assert (adopted.kind, started.kind) == ("adopted", "started")
    assert set(json.loads(adopted.body)["irregularities"]) == set(FAULT_CODES)
    ledger = restore(entries(journal))
    assert ledger is not None
    assert (ledger.opening.profiled, ledger.state.book.number) == (True, 7)
    assert [hold.code for hold in ledger.holds] == ["DEALER_DREW_ON_17"]

    async def goes_on() -> None:
        async with Bench(journal, identity=TODAY) as bench:
            assert [hold.code for hold in bench.now.holds] == ["DEALER_DREW_ON_17", "RESTARTED"]
            await bench.say(Strike(5, None, "P7", "seen", burn=True))
            assert isinstance(await bench.ask(Resume()), Accepted)
            await bench.say(End())

    asyncio.run(goes_on())
    assert [entry.kind for entry in entries(journal)].count("adopted") == 1
    report = verify(journal, ResultVerifier(), lambda _: None)
    assert (report.misfit, report.sound) == (None, True)


def rounds_of(said: Said) -> list[dict[str, object]]:
    """The rounds of a replay that have a result, without the name of their file."""
    found = [json.loads(line) | {"feed": ""} for line in said.stdout.splitlines()]
    return [one for one in found if one["type"] == "round" and one["status"] == "settled"]


def test_it_is_told_as_before_up_to_there(journal: Path) -> None:
    told = call("replay", "--json", journal)
    assert (told.returncode, told.stderr) == (0, "")
    assert rounds_of(told)[:6] == rounds_of(call("replay", "--json", BEFORE))
