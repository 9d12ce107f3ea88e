"""The whole table from seeds: a few by day; by night a thousand rounds, and a seed that is new each time.

`python -m tests.whole.simulate --seed N` plays a seed again; what has failed once lies in `seeds`.
"""

import json
import os
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from controller.feed.replay import round_json
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.runtime.restore import restore
from tests.replay.one_history import bodies, listed, replayed
from tests.replay.random_shift import ShiftTruth
from tests.replay.replay_kit import call, objects
from tests.whole.broken import require
from tests.whole.coverage import AT_REST, DISK, KINDS, Coverage, states_of
from tests.whole.script import SeededScript, read_script
from tests.whole.shift import SeededShift
from tests.whole.simulate import RunOpening, play
from tests.whole.whole_kit import play_with_all

KEPT = sorted((Path(__file__).parent / "seeds").glob("*.json"))
ROUNDS = 3
NIGHT = range(500, 540)
NIGHT_ROUNDS = 25
BESIDE = {"head", "mark", "signed", "kept", "copy", "recordings", "reserve"}
FEW = 5
"""So many states each fault is steered to by day."""
SYNCED = {"signed", "kept", "copy"}
PEOPLE = {"twice", "twin", "keypad"}
"""What people do beside the faults that the seeds bring."""


FIXED = ((4, "shoe"), (9, "camera"))
FRESH = pytest.param(secrets.randbelow(10**9), id="fresh", marks=pytest.mark.night)


@pytest.mark.parametrize("seed", [*(pytest.param(seed, id=source) for seed, source in FIXED), FRESH])
def test_a_whole_table_holds_what_must_hold(seed: int, tmp_path: Path) -> None:
    print(f"python -m tests.whole.simulate --seed {seed} --rounds {ROUNDS}")  # noqa: T201  # pytest shows it on failure
    play_and_read(tmp_path, seed)


def play_and_read(folder: Path, seed: int) -> None:
    """Play a shift; at its end every command reads from its journal what the table had."""

    def check(journal: Path, _done: Mapping[str, int]) -> None:
        truth = truth_of(journal)
        otherwise = [*replayed(journal, truth, bodies(journal)), *listed(journal, truth)]
        require(not otherwise, "READ_OTHERWISE", f"{otherwise}")

    end = play_with_all(folder, SeededScript(seed, ()), ROUNDS, check)
    assert end.broken is None, f"seed {seed}, step {len(end.steps)}: {end.broken}"


def test_the_disk_fails_at_the_files_beside_a_journal() -> None:
    """Notes and signed heads, those that are kept, the copy, recordings and the room kept free."""
    steer = tuple((fault, state) for fault in (*DISK, *AT_REST) for state in states_of(fault)[:FEW])
    end = play(SeededScript(35, (), ends=20, source="camera", steer=steer, rules="nl"), 1)
    assert end.broken is None, f"step {len(end.steps)}: {end.broken}"
    met = {tuple(name.split(" at ")) for name in end.figures if " at " in name}
    assert {file for _, file in met} >= {*BESIDE, "rest"} - {"reserve"}, met
    assert {fault for fault, _ in met} >= {"cut", "io", "kill", "forgotten", "lying", *AT_REST}, met


def truth_of(journal: Path) -> ShiftTruth:
    """What the table had, from its own state at the end."""
    reader = JournalReader(journal)
    ledger = restore(reader.read())
    reader.close()
    assert ledger is not None
    state = ledger.state
    results = {old.book.number: old.settlement.result for old in (*state.book.past, state)}
    rounds = {number: round_json(result) for number, result in results.items() if result is not None}
    begun = state.book.number if state.log else state.book.number - 1
    return ShiftTruth(rounds, [], begun, restored=True)


def test_another_process_leaves_the_same_journal(tmp_path: Path) -> None:
    """Whatever order its sets have, and wherever its folder lies: only what names that folder differs."""
    (there := tmp_path / "in-another-folder").mkdir()
    command = [sys.executable, "-m", "tests.whole.test_seeds", str(there)]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": "17"}, capture_output=True, check=True
    )
    assert left_behind(tmp_path) == done.stdout.decode()
    assert len(done.stdout) > 10_000


def left_behind(folder: Path) -> str:
    """Play a shift that ends now and then: its steps and figures, and all entries but their hashes."""
    end = play_with_all(folder, SeededScript(4, (), ends=20), 1)
    assert end.broken is None, f"step {len(end.steps)}: {end.broken}"
    (journal,) = folder.glob("*/table.journal")
    with closing(JournalReader(journal)) as reader:
        entries = [entry for entry in reader.read() if isinstance(entry, Entry)]
    named = str(journal.parent).encode()
    bodies = [(one.kind, one.at_utc_us, one.actor, one.body.replace(named, b"")) for one in entries]
    return repr((end.steps, sorted(end.figures.items()), bodies))


@pytest.mark.night
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(510, 515), ids=lambda seed: SeededScript(seed, ()).house)
def test_a_night_balances_to_the_cent_and_is_reported_as_verify_has_it(seed: int, tmp_path: Path) -> None:
    """Fills, credits, drop, rulings, crashes: the closing count is what the journal's entries add up to."""
    script = SeededScript(seed, ())
    opening = RunOpening(tmp_path, script)
    end = SeededShift(script, opening.journal, opening.open, opening.rules).play(200, opening.check)
    assert end.broken is None, f"seed {seed}, step {len(end.steps)}: {end.broken}"
    assert end.figures["kill"] + end.figures["cut"] > 0
    (books,) = objects(call("books", opening.journal, "--json"))
    assert (books["counted"], books["difference"]) == (books["expected"], 0)
    (signed,) = objects(call("report", opening.journal, "--json"))
    (verified,) = objects(call("verify", opening.journal, "--json"))
    report = signed["report"]
    assert (report["rounds"], signed["head"]["seq"]) == (verified["rounds"], verified["head"]["seq"])
    for name in ("opening", "fills", "credits", "drop", "win", "expected", "counted"):
        assert report[name] == books[name] != 0, name
    (tmp_path / "r.json").write_text(json.dumps(signed))
    assert call("verify", opening.journal, "--report", tmp_path / "r.json").returncode == 0


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_what_has_failed_once_holds(file: Path) -> None:
    assert play(read_script(file)).broken is None


@pytest.mark.night
@pytest.mark.timeout(2400)
def test_a_thousand_rounds_hold_and_meet_every_fault() -> None:
    done, met = Counter[str](), Coverage()
    for seed in NIGHT:
        end = play(SeededScript(seed, ()), NIGHT_ROUNDS)
        assert end.broken is None, f"seed {seed}, step {len(end.steps)}: {end.broken}"
        done.update({**end.figures, "rounds": end.rounds})
        met.update(end.coverage)
    assert done["rounds"] >= len(NIGHT) * NIGHT_ROUNDS
    assert set(done) >= PEOPLE
    assert {kind for kind, _ in met} == set(KINDS)
    assert set(done) >= {f"{fault} at {file}" for fault in DISK[:4] for file in BESIDE}
    assert set(done) >= {f"lying at {file}" for file in SYNCED} | {f"{fault} at rest" for fault in AT_REST}


if __name__ == "__main__":
    print(left_behind(Path(sys.argv[1])), end="")  # noqa: T201  # to be compared
