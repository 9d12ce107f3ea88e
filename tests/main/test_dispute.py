"""A dispute file: one round of a live table with pictures, rulings and signatures, kept for a year."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import pytest

from controller.acts.catalogue import Bet, Close, Correct, Decision, End, Reveal
from controller.journal.head_file import TableKey
from controller.recording.recording_reader import Recorded, Recording, segments_in
from controller.recording.segments import SegmentWriter
from controller.replay.round_export import PROOF, RULINGS
from controller.replay.table_file import read_table_file
from controller.studio.studio_file import StudioFile
from drivers.simulated import PtyShoe
from tests.main.live_kit import Live, play
from tests.replay.recorded_kit import DEAL, changed
from tests.replay.replay_kit import Said, call, objects

JPEG = cv2.imencode(".jpg", np.zeros((8, 8, 3), np.uint8))[1].tobytes()
YEAR_S = 367 * 24 * 60 * 60


class Evening(NamedTuple):
    """A table's folder after two rounds, and what the program answered while round 2 had a card face down."""

    folder: Path
    config: Path
    public: str
    refused: Said
    first: Said

    def file(self, number: int) -> Path:
        """The dispute file of a round, exported where no other test has asked for it yet."""
        done = call("export", str(number), "--dispute", self.config, "--json")
        if done.returncode == 0:
            return Path(objects(done)[0]["file"])
        error = json.loads(done.stderr.splitlines()[-1])
        assert error["code"] == "DISPUTE_FILED", error
        return Path(error["params"]["path"])

    def verify(self, file: Path) -> tuple[int, dict[str, Any]]:
        done = call("verify", file, "--key", self.public, "--json")
        return done.returncode, json.loads(done.stdout)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """Round 1 settles; in round 2, behind its face-down card, the pit rules on round 1."""
    folder = tmp_path_factory.mktemp("evening")
    config = folder / "table.toml"
    config.write_text(
        '[table]\nname = "BJ1"\nrules = "spielbank"\n[journal]\nfile = "table.journal"\n'
        '[shoe]\nport = "/dev/null"\n'
    )
    said: list[Said] = []
    shoe = PtyShoe()

    async def deal(live: Live, *cards: str) -> None:
        for card in cards:
            before = live.now.seq
            shoe.deal(card[:-1], card[-1])
            await live.until(lambda: live.now.seq > before)  # noqa: B023 - awaited within the turn

    async def story(live: Live) -> None:
        await live.say(Bet(1, 0, 1000), Close())
        await deal(live, *DEAL)
        await live.say(Decision(1, 1, "stand"), Reveal(), End(), Bet(1, 0, 1000), Close())
        await deal(live, *DEAL)
        said.append(call("export", "2", "--dispute", config))
        await live.say(Correct(1, None, "9", "s", "P-7", "camera seen", round=1))
        said.append(call("export", "1", "--dispute", config, "--json"))
        await live.say(Decision(1, 1, "stand"), Reveal(), End(), Bet(1, 0, 1000))

    play(folder, story, {"port": shoe.port}, recording={"enabled": True, "reserve_mb": 0})
    shoe.close()
    (recorded,) = segments_in(folder / "table.recordings")
    seen: list[int] = []

    def filmed(one: Recorded) -> Iterator[Recorded]:
        yield one
        if one.kind == "rx":
            seen.append(1)
            yield one._replace(kind="jpeg", source="felt", data=JPEG)

    changed(recorded, folder / "filmed.mcap", filmed)
    recorded.unlink()
    (folder / "filmed.mcap").rename(recorded)
    assert seen
    return Evening(folder, config, TableKey.load_or_make(folder / "table.key", {}).public, *said)


def tampered(file: Path, path: Path, was: bytes, now: bytes) -> Path:
    """Write a dispute file again, other words in what it plays and in its rulings; the proof as it was."""
    with Recording(file) as old:
        messages = list(old)
        writer = SegmentWriter(path.parent, path.stem, old.session, ())
        for name, data in old.attachments.items():
            writer.attach(name, "application/jsonl", data.replace(was, now) if name == RULINGS else data)
        for one in messages:
            data = one.data.replace(was, now) if one.kind == "fact" else one.data
            writer.write(one.kind, one.source, one.mono_ns, data)
    writer.close()
    return path


def test_nothing_of_a_round_is_filed_while_its_card_lies_face_down(evening: Evening) -> None:
    assert evening.refused.returncode == 2
    assert "face down" in evening.refused.stderr
    first = Path(objects(evening.first)[0]["file"])
    with Recording(first) as recording:
        list(recording)
        assert recording.attachments[RULINGS] == b"", "the ruling stands behind round 2's card"
        last = recording.attachments[PROOF].splitlines()[-1]
    assert json.loads(last)["round"] == 1
    assert evening.verify(first)[1]["ok"] is True


def test_a_dispute_file_has_pictures_rulings_and_signatures_and_plays(evening: Evening) -> None:
    file = evening.file(1)
    assert file.parent == evening.folder / "table.disputes"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    code, told = evening.verify(file)
    assert (code, told["ok"], told["table"], told["round"]) == (0, True, "BJ1", 1), told
    assert (told["pictures"] > 0, told["unrecorded"]) == (True, None)
    (ruling,) = told["rulings"]
    assert (ruling["what"], ruling["by"], ruling["reason"]) == ("correct", "P-7", "camera seen")
    assert ruling["win_before"] != ruling["win_after"]
    assert "camera seen" in call("verify", file, "--key", evening.public).stdout
    played = objects(call("replay", "--json", file))
    assert [one["round"] for one in played if one["type"] == "round"] == [1]
    assert list(StudioFile(read_table_file(str(file)), at_table=True).rounds) == [1]
    again = call("export", "1", "--dispute", evening.config)
    assert (again.returncode, "there already" in again.stderr.replace("\n", " ")) == (2, True)


def test_what_was_changed_in_a_dispute_file_or_signed_by_another_is_named(
    evening: Evening, tmp_path: Path
) -> None:
    file = evening.file(2)
    assert evening.verify(file)[0] == 0
    other = TableKey.load_or_make(tmp_path / "other.key", {}).public
    assert evening._replace(public=other).verify(file)[1]["fault"]["code"] == "HEAD_FORGED"
    assert call("verify", file).returncode == 2, "without a key nobody can tell"
    bet = evening.verify(tampered(file, tmp_path / "bet.mcap", b"1000", b"2000"))
    assert (bet[0], bet[1]["fault"]["code"]) == (1, "ROUND_DIFFERS")
    name = evening.verify(tampered(evening.file(1), tmp_path / "name.mcap", b'"by":"P-7"', b'"by":"P-8"'))
    assert (name[0], name[1]["fault"]["code"]) == (1, "ROUND_DIFFERS")
    plain = tmp_path / "plain.mcap"
    assert call("export", "1", "--journal", evening.folder / "table.journal", "--out", plain).returncode == 0
    assert "no whole dispute file" in call("verify", plain, "--key", other).stderr.replace("\n", " ")


def test_a_file_says_why_it_has_no_pictures(evening: Evening) -> None:
    ring = evening.folder / "table.recordings"
    (recorded,) = segments_in(ring)
    for path in (evening.folder / "table.disputes").glob("*-round-2-entry-*"):
        path.unlink()
    recorded.rename(recorded.with_suffix(".away"))
    try:
        done = call("export", "2", "--dispute", evening.config)
    finally:
        recorded.with_suffix(".away").rename(recorded)
    assert (done.returncode, "pictures of the round are missing" in done.stdout) == (0, True)
    (file,) = (evening.folder / "table.disputes").glob("*-round-2-entry-*")
    _, told = evening.verify(file)
    assert (told["ok"], told["pictures"], told["unrecorded"]["code"]) == (True, 0, "RECORDING_MISSING")
    checked = call("verify", file, "--key", evening.public).stdout.replace("\n", " ")
    assert f"recording {ring} cannot be opened" in checked


def test_a_file_goes_after_a_year_and_no_sooner(evening: Evening) -> None:
    folder = evening.folder / "table.disputes"
    names = [f"BJ1-2020-01-01-round-{number}-entry-9.mcap" for number in (1, 2)]
    now = (evening.folder / "table.journal").stat().st_mtime
    for name, age_s in zip(names, (YEAR_S, YEAR_S - 2 * 24 * 60 * 60), strict=True):
        (folder / name).write_bytes(b"old")
        os.utime(folder / name, (now - age_s, now - age_s))
    for path in folder.glob("*-round-2-entry-*"):
        if path.name not in names:
            path.unlink()
    evening.file(2)
    assert [(folder / name).exists() for name in names] == [False, True]
