"""A reader that counts and a camera that names: firmware, protocol, pictures, networks at a live table."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from design.geometry import READER

from controller.acts.catalogue import Bet, Close
from controller.config import TableConfig, load_config
from controller.devices.shoes import MouthNames
from controller.domain import ConfigError
from controller.recording.recording_reader import Recorded, Recording
from controller.replay.live.recording_replayer import RecordingReplayer
from controller.replay.live.replayed_devices import ReplayedShoe
from controller.runtime.api import Accepted, Resume
from tests.hardware.passages import Drawn, by_hand, pushed_back
from tests.hardware.pictures import SHRINK, code_spots
from tests.hardware.table_kit import ReaderAtTable, back, face
from tests.main.live_kit import Live, play
from tests.replay.replay_kit import call, objects

WAY_MS = 160
EXAMPLE = Path(__file__).parents[2] / "examples" / "shoe-reader.toml"


def seen(live: Live) -> int:
    return live.now.state.shoe.seen + live.now.waiting


async def go_on(live: Live, hold: str) -> None:
    """Wait for a hold, and let the pit lift it."""
    await live.until(lambda: hold in live.holds, 90)
    assert isinstance(await live.ask(Resume()), Accepted)


def test_cards_are_counted_by_one_and_named_by_the_other(tmp_path: Path) -> None:
    reader = ReaderAtTable(5)

    async def draw(live: Live, *sheets: Drawn) -> None:
        before = seen(live)
        reader.draw(sheets, by_hand(1.0), WAY_MS + max(one.behind for one in sheets))
        await live.until(lambda: seen(live) == before + 1, 90)

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("mouth") == "live")
        await live.say(Bet(1, 0, 1000), Close())
        await draw(live, Drawn(face("K", "s")))
        await draw(live, Drawn(face("9", "h")))
        assert live.holds == []
        reader.draw([Drawn(face("7", "d"))], pushed_back(0.8, 40), 300)
        await go_on(live, "SHOE_CARD_PULLED_BACK")
        await draw(live, Drawn(face("8", "c")))
        box, dealer = live.now.state.boxes[0].hands[0], live.now.state.dealer
        assert [str(one.card) for one in (*box.cards, *dealer.cards)] == ["Ks", "8c", "9h"]
        # The dealer's second card lies the wrong way up in the shoe: it left, and has no name.
        await draw(live, Drawn(back()))
        assert live.now.state.dealer.cards[1].obs.rank is None
        await draw(live, Drawn(face("5", "c")), Drawn(face("5", "d"), behind=6))
        await go_on(live, "SHOE_DOUBLE_FEED")
        # The inner sensor is blind: the camera sees a card that nobody counted.
        reader.rig.blind = (True, False)
        reader.draw([Drawn(face("Q", "d"))], by_hand(1.0), WAY_MS)
        await live.until(lambda: {"CARD_NOT_COUNTED", "SHOE_SENSOR"} <= set(live.holds), 90)
        # What follows from time alone is made again by what is recorded later: the reader's next heartbeat.
        await asyncio.sleep(1.5)

    try:
        recorded = {"enabled": True}
        play(tmp_path, story, reader.shoe, cards=reader.cards(), camera=[reader.mouth], recording=recorded)
    finally:
        reader.close()
    (recording,) = (tmp_path / "table.recordings").glob("*.mcap")
    result = call("replay", "--json", recording)
    told = objects(result)[-2]
    assert (result.returncode, told["differences"]) == (0, 0), result.stdout
    assert told["messages"]["jpeg"] > 30
    crossed = RecordingReplayer(Crossed(recording))
    list(crossed.play())
    assert crossed.differences == []


class Crossed(Recording):
    """A recording whose reader was looked at late: the camera's word came first, and was journalled after."""

    def __iter__(self) -> Iterator[Recorded]:
        """Let the pictures run a fifth of a second ahead of what the reader said about its sensor."""
        every = list(super().__iter__())
        held = next(at for at, one in enumerate(every) if one.kind == "fact" and b"SHOE_SENSOR" in one.data)
        said = max(at for at, one in enumerate(every[:held]) if one.kind == "rx")
        then_ns = every[held].mono_ns + 200_000_000
        rest = every[said:]
        ahead = [one for one in rest if one.kind == "jpeg" and one.mono_ns <= then_ns]
        late = [one._replace(mono_ns=max(one.mono_ns, then_ns)) for one in rest if one not in ahead]
        return iter([*every[:said], *ahead, *late])


def test_a_reader_that_begins_in_the_middle_of_a_passage_is_asked_once(tmp_path: Path) -> None:
    """The camera's pictures come before the first bytes, as where the reader's thread begins late."""
    config = _config(tmp_path, OPEN, MOUTH)
    assert config.shoe is not None
    edge = bytes.fromhex("00 05 43 01 ab b8 02 01 01 01 02 91 03 01 01 01 03 ed 85 00")
    query = bytes.fromhex("00 02 62 01 01 01 01 01 01 01 01 03 74 a4 00")
    heartbeat = bytes.fromhex("00 02 42 03 ab b8 02 02 01 01 02 bf 03 01 80 01 01 01 03 77 62 00")
    resend = bytes.fromhex("00 02 61 03 ab b8 01 01 01 01 01 03 f4 f4 00")
    opened = Recorded("mark", "shoe", 0, 0, b'{"state": "live", "reason": "OPENED"}')
    said = [
        Recorded("rx", "shoe", 99_000_000, 0, edge),
        Recorded("tx", "shoe", 99_000_000, 0, query),
        Recorded("rx", "shoe", 110_000_000, 0, heartbeat),
        Recorded("tx", "shoe", 111_000_000, 0, resend),
    ]
    shoe = ReplayedShoe(config.shoe, None, opened, "replay", lambda _: None, names=MouthNames())
    try:
        assert shoe.take(opened, 0) == []
        shoe.let_pass(40_000_000)
        assert [shoe.take(one, one.mono_ns / 1e9) for one in said] == [[]] * 4
    finally:
        shoe.close()


def _config(folder: Path, shoe: Mapping[str, object] | None, mouth: Mapping[str, object]) -> TableConfig:
    raw = {
        "table": {"name": "BJ1", "rules": "nl"},
        "journal": {"file": folder / "day.journal"},
        **({} if shoe is None else {"shoe": shoe}),
        "camera": [mouth],
    }
    return TableConfig.model_validate(raw)


OPEN = {"port": "/dev/shoe", "protocol": "open"}
MOUTH: dict[str, object] = {"name": "mouth", "profile": "shoe_mouth", "source": "0", "code": [[1, 1]] * 6}


def test_both_halves_have_to_fit(tmp_path: Path) -> None:
    config = _config(tmp_path, OPEN, MOUTH)
    assert config.shoe_name == "shoe"
    for shoe, mouth in (
        (None, MOUTH),
        ({"port": "/dev/shoe"}, MOUTH),
        (OPEN, MOUTH | {"code": [[1, 1]] * 5}),
    ):
        with pytest.raises(ValueError, match="code"):
            _config(tmp_path, shoe, mouth)
    with pytest.raises(ConfigError, match="CONFIG_TWO_SHOES"):
        _config(tmp_path, OPEN, {key: MOUTH[key] for key in MOUTH if key != "code"})


def test_the_readers_example_is_the_reader_as_it_is_drawn() -> None:
    config = load_config(EXAMPLE)
    mouth, optics = config.shoe_mouth, READER.optics
    assert mouth is not None
    assert config.shoe is not None
    assert (mouth.width, mouth.height) == (optics.width_px, optics.height_px)
    assert mouth.fps == 1000 / optics.frame_ms
    assert mouth.exposure == 10 * optics.exposure_ms
    assert mouth.exposure / 10 + READER.flash_us / 1000 < READER.flash_ms
    assert mouth.mirrored
    assert {"exposure", "gain", "white_balance"} == {name for name, _ in mouth.fixed}
    assert mouth.code == tuple((SHRINK * x, SHRINK * y) for x, y in code_spots())
