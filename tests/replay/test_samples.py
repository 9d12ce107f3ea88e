"""Every recording that became a test comes out as it was."""

import json
from pathlib import Path

import pytest

from controller.recording.recording_reader import Recording
from tests.replay.replay_kit import call, objects

SAMPLES = sorted((Path(__file__).resolve().parent.parent / "recordings").glob("*.mcap"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_a_sample_comes_out_as_it_was(sample: Path, tmp_path: Path) -> None:
    assert sample.stat().st_size < 200_000
    result = call("replay", "--json", sample)
    assert result.returncode == 0, result.stdout + result.stderr
    assert objects(result)[-2]["compared"] > 0
    feed = tmp_path / "round.feed.jsonl"
    assert call("feed", sample, "--out", feed).returncode == 0
    assert call("replay", feed, "--expect", tmp_path / "round.expect.jsonl").returncode == 0


def test_the_line_that_was_lost_in_play_left_a_card_waiting() -> None:
    (sample,) = [sample for sample in SAMPLES if sample.stem == "line-lost-in-play"]
    with Recording(sample) as recording:
        messages = list(recording)
    states = [json.loads(one.data)["state"] for one in messages if one.kind == "mark"]
    assert states == ["live", "lost", "live"]
    kinds = [json.loads(one.data)["kind"] for one in messages if one.kind == "fact"]
    assert kinds.index("held") < kinds.index("waiting") < kinds.index("resumed")


def test_every_sample_is_described() -> None:
    text = (Path(__file__).resolve().parent.parent / "recordings" / "README.md").read_text(encoding="utf-8")
    assert SAMPLES
    assert {sample.name for sample in SAMPLES if f"`{sample.name}`" not in text} == set()
