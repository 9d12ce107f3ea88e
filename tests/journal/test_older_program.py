"""A journal of this program opened by the last release: read rightly, or refused as a later program's."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.replay.replay_kit import FEEDS, Said, call, journal_of
from tests.runtime.runtime_kit import entries

pytestmark = pytest.mark.night

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAM: Final = "import sys; sys.argv[0] = 'stand17'; from controller.cli import main; main()"
PLAYED: Final = sorted(FEEDS.glob("*/*.feed.jsonl"))[::60]
"""A feed of each kind, as their names are sorted."""


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of the last release, from the history."""
    release = git("log", "--grep=^Release [0-9]", "--format=%H", "-1").decode().strip()
    assert release, "no release in the history: a shallow clone cannot tell"
    folder = tmp_path_factory.mktemp("older")
    subprocess.run(["tar", "-x", "-C", folder], input=git("archive", release), check=True)
    return folder


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout


def asked(older: Path, *arguments: str | Path) -> Said:
    """What the last release answers, with the packages that are installed here."""
    own = {"PYTHONPATH": str(older), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    return Said(done.returncode, done.stdout, done.stderr)


def paid(replayed: Said) -> list[tuple[Any, ...]]:
    """What each bet of each round staked and got back, and how the round stands."""
    rounds = [json.loads(line) for line in replayed.stdout.splitlines()]
    return [
        (one["round"], one["status"], bet["box"], bet["seat"], bet["staked"], bet["returned"])
        for one in rounds
        if one["type"] == "round"
        for bet in one["bets"]
    ]


def newest_versions(older: Path) -> dict[str, int]:
    """The newest version of each kind of entry that the last release knows."""
    words = "import json; from controller.journal.entry import VERSIONS; print(json.dumps(dict(VERSIONS)))"
    own = {**os.environ, "PYTHONPATH": str(older), "PYTHONSAFEPATH": "1"}
    said = subprocess.run([sys.executable, "-c", words], env=own, stdout=subprocess.PIPE, check=True)
    known: dict[str, int] = json.loads(said.stdout)
    return known


def test_it_pays_the_same_or_says_that_a_later_program_wrote_it(older: Path, tmp_path: Path) -> None:
    """A body that the last release refuses needs a new version of its kind, in `controller.journal.entry`.

    0.3.0 refuses entry 1 of every journal: it forbids fields of a rule set that it does not know, and
    `packs_allowed` came after it. Without the new version it would call that entry damaged.
    """
    known = newest_versions(older)
    for number, feed in enumerate(PLAYED):
        journal = journal_of(feed, tmp_path / f"{number}.journal")
        before, told = journal.read_bytes(), asked(older, "replay", "--json", journal)
        newer = [one for one in entries(journal) if one.version > known.get(one.kind, 0)]
        if newer:
            assert (told.returncode, len(told.stderr.strip().splitlines())) == (2, 1), told
            assert "Traceback" not in told.stderr
            said = json.loads(asked(older, "verify", "--json", journal).stdout)
            assert said["misfit"] == {"seq": newer[0].seq, "code": "ENTRY_TOO_NEW"}
        else:
            assert told.returncode == 0, told
            assert paid(told) == paid(call("replay", "--json", journal)), feed
        assert journal.read_bytes() == before
