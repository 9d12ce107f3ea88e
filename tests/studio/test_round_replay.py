"""A round that is over, stepped through at the table that goes on."""

import json
import re
import urllib.error
import urllib.request
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, End, Paid, Reveal
from controller.engine.state import History
from controller.replay.journal_check import check_journal
from controller.replay.kept_cases import case_faults
from controller.replay.table_file import read_table_file
from controller.runtime.redaction import redacted
from controller.studio.round_replay import round_alone, written
from controller.studio.studio_file import StudioFile


def asked(served: Served, person: str, path: str) -> tuple[int, Any]:
    """What somebody's screen is answered; nobody's for ""."""
    headers = {"Cookie": served.sign_in(person)} if person else {}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(served.url + path, headers=headers), timeout=180
        ) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.loads(refusal.read() or b"{}")


def zipped(served: Served, person: str, path: str) -> dict[str, str]:
    """The files of a ZIP that somebody's screen is given, by name."""
    request = urllib.request.Request(served.url + path, headers={"Cookie": served.sign_in(person)})
    with urllib.request.urlopen(request, timeout=180) as answer, ZipFile(BytesIO(answer.read())) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.timeout(400)  # a process for each round that is asked for, on a machine that may be busy
def test_rounds_that_are_over_are_played_for_the_pit_and_no_other(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        served.say(Bet(1, 0, 1000), Bet(2, 0, 2500), Close())
        served.deal("10h", "10c", "9c", "7s", "9d", "8s")
        served.say(Decision(1, 1, "stand"))
        assert asked(served, "S-02", "/api/played/1")[0] == 404, "its card lies face down"
        served.say(Decision(2, 1, "stand"), Reveal(), Paid(2, 0, 5000), Paid(1, 0, 1000), End())
        served.say(Bet(1, 0, 1000), Close())
        served.deal("10h", "9s", "6c", "8s")
        served.say(Decision(1, 1, "hit"))
        served.deal("10s")
        status, file = asked(served, "S-02", "/api/played/1")
        assert status == 200
        assert {step["round"] for step in file["steps"]} == {1}
        assert [step["what"] for step in file["steps"]].count("card") == 6
        assert "money" in {lane for step in file["steps"] for lane in step["lanes"]}
        shown = [asked(served, "E-01", f"/api/played/1/step/{at}")[1] for at in range(len(file["steps"]))]
        assert asked(served, "E-01", f"/api/played/1/step/{len(shown)}")[0] == 404
        assert asked(served, "P-7", "/api/played/9")[0] == 404
        assert asked(served, "", "/api/played/1")[0] == 401
        status, refused = asked(served, "D-17", "/api/played/1")
        assert (status, refused["code"]) == (409, "refused.NOT_ALLOWED")
        assert asked(served, "D-17", "/api/played/1/step/3")[0] == 409
        assert asked(served, "D-17", "/api/played/1/case")[0] == 409
        case = zipped(served, "S-02", "/api/played/1/case")
        assert sorted(case) == ["round_1.expect.jsonl", "round_1.feed.jsonl"]
        feed = tmp_path / "round_1.feed.jsonl"
        feed.write_text(case[feed.name])
        expect = tmp_path / "round_1.expect.jsonl"
        expect.write_text(case[expect.name])
        assert case_faults(str(feed), expect) == []
        # The second round is settled by a bust: its face-down card was never turned.
        served.say(End(), Bet(1, 0, 1000))
        file = asked(served, "T-01", "/api/played/2")[1]
        told = [asked(served, "T-01", f"/api/played/2/step/{at}")[1] for at in range(len(file["steps"]))]
        assert not any(re.search(r'"8"|"8s"|"8", "s"', json.dumps(one)) for one in told)
        assert any(re.search(r'"9"', json.dumps(one)) for one in told), "the up card is shown"
        assert file["left_out"] == 0
        assert asked(served, "T-01", "/api/played/2/case")[0] == 404


def test_a_table_without_a_houses_profile_is_played_by_its_rules_alone(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        served.say(Bet(1, 0, 1000), Close())
        # The hit is not told: a house's profile would ask for it.
        served.deal("10h", "9s", "6c", "8s", "10s")
        served.say(End())
        file = asked(served, "S-02", "/api/played/1")[1]
        assert [step["what"] for step in file["steps"]].count("card") == 5
        assert "holds" not in {lane for step in file["steps"] for lane in step["lanes"]}


def without_lines(text: bytes) -> Any:
    """What a round's view or step says, but for the numbers of lines: of a round alone they begin with it."""
    told = json.loads(text)
    told.pop("line", None)
    for step in told.get("steps", ()):
        del step["line"]
    return told


def test_a_round_alone_is_played_as_it_is_with_the_whole_day() -> None:
    journal = Path(__file__).parents[1] / "journals" / "release_0.1.0_six_rounds.journal"
    day = read_table_file(str(journal))
    past: History = check_journal(journal, lambda _: None).ledger.state.book.past
    closed = {one.book.number: redacted(one) for one in past}
    assert sorted(closed) == [1, 2, 3, 4, 5, 6]
    for number, round_ in closed.items():
        alone = round_alone(journal, number, (closed.get(number - 1), round_))
        assert alone is not None
        whole = written(StudioFile(day, at_table=day.at_table, only=number, running=True), number)
        assert without_lines(alone.file) == without_lines(whole.file)
        assert [*map(without_lines, alone.steps)] == [*map(without_lines, whole.steps)]
    assert round_alone(journal, 2, (None, closed[2])) is None, "the day has to be played for it"
