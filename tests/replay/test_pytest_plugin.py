"""The pytest plugin: a house's own cases are tests, and nothing is collected where no folder is named."""

import shutil
import subprocess
import sys
from pathlib import Path

from controller.replay.kept_cases import case_faults

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "examples" / "own_house_cases"


def pytest_of(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_cases_of_a_house_are_tests_and_a_payment_that_differs_fails(tmp_path: Path) -> None:
    shutil.copy(CASES.parent / "own_house.toml", tmp_path)
    shutil.copytree(CASES, tmp_path / "cases")
    wrong = tmp_path / "cases" / "wrong.expect.jsonl"
    wrong.write_text((CASES / "blackjack.expect.jsonl").read_text().replace("1000", "900"))
    shutil.copy(CASES / "blackjack.feed.jsonl", tmp_path / "cases" / "wrong.feed.jsonl")
    told = pytest_of(tmp_path, "--stand17", "cases")
    assert told.returncode == 1
    assert "1 failed, 1 passed" in told.stdout
    assert "round 1: box 1 is due 10.00 EUR, expected 9.00 EUR" in told.stdout


def test_a_recording_is_a_case_and_rules_that_are_not_there_are_named() -> None:
    recording = ROOT / "tests" / "recordings" / "line-lost-in-play.mcap"
    assert case_faults(str(recording), None) == []
    feed, expect = CASES / "blackjack.feed.jsonl", CASES / "blackjack.expect.jsonl"
    assert case_faults(str(feed), expect) == []
    (fault,) = case_faults(str(feed), expect, rules="nowhere.toml")
    assert "nowhere.toml" in fault


def test_without_a_folder_nothing_is_collected(tmp_path: Path) -> None:
    shutil.copytree(CASES, tmp_path / "cases")
    assert pytest_of(tmp_path).returncode == 5
