"""One round cut out of a recording: small, whole in itself, and as it was."""

import stat
from pathlib import Path

import pytest

from controller.recording.recording_reader import Recording
from tests.replay.recorded_kit import changed, shift, two_rounds
from tests.replay.replay_kit import call, objects
from tests.replay.test_recording import Nth, another_card


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two segments of one shift: three rounds, the cut between two of them."""
    folder = tmp_path_factory.mktemp("shift")
    shift(folder)
    return folder / "t.recordings"


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_round_is_cut_out_and_replays_as_it_was(tmp_path: Path, recorded: Path, number: int) -> None:
    out = tmp_path / "round.mcap"
    result = call("export", str(number), "--recording", recorded, "--out", out, "--beside")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "as it was" in result.stdout
    assert out.stat().st_size < 40_000
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("round.*")} == {0o600}
    played = call("replay", "--json", out)
    assert played.returncode == 0, played.stdout
    told = [line for line in objects(played) if line["type"] == "round"]
    assert [line["round"] for line in told] == [number]
    with Recording(out) as cut:
        assert cut.history == ()
        assert {one.kind for one in cut} <= {"rx", "mark", "fact"}
    feed, expectation = tmp_path / "round.feed.jsonl", tmp_path / "round.expect.jsonl"
    assert call("replay", "--strict", feed, "--expect", expectation).returncode == 0
    assert call("feed", out).stdout == feed.read_text()
    in_feed = [line for line in objects(call("replay", "--json", feed)) if line["type"] == "round"]
    assert in_feed[0]["bets"] == told[0]["bets"]


def test_a_round_that_the_program_would_play_otherwise_shows_it(tmp_path: Path) -> None:
    """A driver that reads another card than the one of then: the export keeps the difference."""
    path = changed(two_rounds(tmp_path), tmp_path / "a.mcap", Nth(6, another_card))
    out = tmp_path / "round.mcap"
    assert call("export", "1", "--recording", path, "--out", tmp_path / "first.mcap").returncode == 0
    result = call("export", "2", "--recording", path, "--out", out)
    assert result.returncode == 1
    assert "not as it was" in result.stdout
    assert int(result.stdout.split(" messages")[0].split()[-1]) < 32, "nothing of the round before it"
    differences = [line for line in objects(call("replay", "--json", out)) if line["type"] == "difference"]
    first = differences[0]
    assert (first["recorded"]["body"]["rank"], first["made"]["body"]["rank"]) == ("6", "A")


def test_a_journal_alone_gives_a_round_without_bytes(tmp_path: Path, recorded: Path) -> None:
    out = tmp_path / "round.mcap"
    journal = recorded.with_name("t.journal")
    assert call("export", "2", "--journal", journal, "--out", out).returncode == 0
    result = call("replay", "--json", out)
    assert result.returncode == 0
    assert objects(result)[-2]["messages"].keys() == {"fact"}


def test_a_whole_recording_is_a_feed_too(tmp_path: Path, recorded: Path) -> None:
    for source in (*sorted(recorded.glob("*.mcap"))[1:], recorded.with_name("t.journal")):
        out = tmp_path / "all.feed.jsonl"
        assert call("feed", source, "--out", out, "--force").returncode == 0
        assert call("replay", "--strict", out, "--expect", tmp_path / "all.expect.jsonl").returncode == 0
        assert len(objects(call("replay", "--json", out))) == 4


def test_what_cannot_be_cut_out_is_a_sentence(tmp_path: Path, recorded: Path) -> None:
    out = tmp_path / "round.mcap"
    second = sorted(recorded.glob("*.mcap"))[1]
    for arguments, said in (
        (("9", "--recording", recorded, "--out", out), "no round 9"),
        (("1", "--recording", second, "--out", out), "before this recording"),
        (("1", "--recording", tmp_path, "--out", out), str(tmp_path.name)),
        (("1", "--out", out), "--recording"),
        (("1", "--recording", recorded, "--out", tmp_path / "round.bin"), ".mcap"),
        (("1", "--recording", recorded, "--out", tmp_path / "no" / "round.mcap"), "round.mcap"),
    ):
        result = call("export", *arguments)
        assert result.returncode == 2, arguments
        assert said in result.stderr.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []
