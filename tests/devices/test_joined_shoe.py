"""A reader that counts and a camera that names: firmware, protocol, pictures, networks at a live table."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import cv2
import numpy as np
import pytest
from design.geometry import READER

from controller.acts.catalogue import Bet, CardSeen, Close
from controller.config import TableConfig, load_config
from controller.devices.shoes import MouthNames, joined_shoe
from controller.domain import Card, ConfigError
from controller.ports import Report
from controller.recording.recording_reader import Recorded, Recording
from controller.replay.devices import ReplayedShoe
from controller.replay.recording_replayer import RecordingReplayer
from controller.runtime.api import Accepted, Resume
from drivers.camera.pictures import Image
from drivers.replay import ReplayClock, ReplayDevice, ReplayLine, ReplayPictures
from tests.drivers.far_ends.open_shoe import FrameType
from tests.drivers.shoe.open_shoe.open_shoe_kit import BOOT, beat, frame
from tests.hardware.passages import Drawn, by_hand, pushed_back
from tests.hardware.pictures import SHRINK, code_spots
from tests.hardware.table_kit import ReaderAtTable, back, face
from tests.main.live_kit import Live, play
from tests.replay.replay_kit import call, objects
from vision.card_passes import IndexDetection
from vision.reading import CardName
from vision.shoe_mouth import CodedMouth, CodedPicture

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


class HeldMouth:
    """Reads a king in entry 3; the picture after the first `at_once` is read when it is released."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self.began, self.released = threading.Event(), threading.Event()

    def look(self, _picture: Image, _upright: Image) -> CodedPicture:
        self._at_once -= 1
        if self._at_once < 0:
            self.began.set()
            assert self.released.wait(30)
        return CodedPicture(3, (IndexDetection(CardName("K", "s"), 1.0, 0.5),))


CARD = cv2.imencode(".jpg", np.full((64, 64, 3), 200, np.uint8))[1].tobytes()
COUNTS_ONLY = frame(0, FrameType.HELLO, b"SN1", bytes(8), 64, 512)
ENTERED, LEFT = (frame(seq, FrameType.EDGE, 1, seq, 3) for seq in (1, 2))
Happenings = list[tuple[int, bytes]]
"""Bytes or pictures, each at its moment in milliseconds."""


@pytest.mark.parametrize(
    ("before", "pictures", "after", "expected"),
    [
        ([COUNTS_ONLY, ENTERED], [1000], [(1200, LEFT), (6300, b"")], ["Ks"]),
        ([COUNTS_ONLY], [1000, 2600], [(3000, beat(BOOT, 1, 0))], ["Ks", "CARD_NOT_COUNTED"]),
    ],
    ids=["named", "not counted"],
)
@pytest.mark.parametrize("late", [False, True], ids=["in time", "late"])
def test_a_card_is_named_alike_however_long_its_picture_is_read(
    tmp_path: Path,
    before: list[bytes],
    pictures: list[int],
    after: Happenings,
    expected: list[str],
    *,
    late: bool,
) -> None:
    """A replay reads each picture at once; the live table on a busy machine reads it late."""
    config, clock = _config(tmp_path, OPEN, MOUTH), ReplayClock(0, 0)
    assert config.shoe is not None
    assert config.shoe_mouth is not None
    mouth, posted = HeldMouth(len(pictures) - late), list[Report]()
    line, camera = ReplayLine(clock), ReplayPictures(clock, watched=False)
    drivers = joined_shoe(
        (config.shoe, config.shoe_mouth),
        cast(CodedMouth, mouth),
        clock,
        "run",
        posted.append,
        connect=line.connect,
        connect_camera=camera.connect,
    )
    reading = threading.Thread(target=_happen, args=(camera, [(at, CARD) for at in pictures]))
    counting = threading.Thread(target=_happen, args=(line, after))
    try:
        for driver in drivers:
            driver.open()
        assert line.opens(0)
        assert camera.opens(0)
        _happen(line, [(900, data) for data in before])
        reading.start()
        if late:
            assert mouth.began.wait(30)
        else:
            reading.join()
        counting.start()
        # So long the counter may go on by itself; however slow it is, the expectation is the same.
        counting.join(0.5)
        mouth.released.set()
        counting.join()
        reading.join()
    finally:
        mouth.released.set()
        line.end()
        camera.end()
        for driver in drivers:
            driver.close()
    assert [name for report in posted for name in _names(report)] == expected


def _happen(device: ReplayDevice, happenings: Happenings) -> None:
    for at_ms, data in happenings:
        device.receives(at_ms * 1_000_000, data)


def _names(report: Report) -> list[str]:
    """The cards of a report, and what is wrong with them."""
    cards = [str(Card(one.rank, one.suit)) for one in report.observations if isinstance(one, CardSeen)]
    return [*cards, *(one.code for one in report.troubles if one.code.startswith("CARD_"))]


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
