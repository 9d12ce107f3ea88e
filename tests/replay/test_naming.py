"""What the pit says of a camera's card is said again in a replay, and the replayed camera believes it."""

import asyncio
from pathlib import Path

from controller.acts.catalogue import Decision, End, Reveal
from controller.recording.recording_reader import Recording
from controller.replay.devices import ReplayedCamera
from controller.replay.recording_replayer import COMPARED, RecordingReplayer
from drivers.simulated import PtyShoe
from tests.devices.test_cameras import Film, camera, seen
from tests.devices.test_orders import entries, pit
from tests.drivers.camera.camera_server import http_camera
from tests.main.live_kit import Live, play
from tests.replay.replay_kit import call
from tests.runtime.runtime_kit import OPENING
from vision.synth import DEALER, TableCard, TableHand

BOX = TableHand(1, 1, (TableCard("10", "s"), TableCard("7", "d")))
BANK = TableHand(DEALER, 1, (TableCard("9", "h"),))


def correct(rank: str) -> dict[str, object]:
    obs = {"obs": "correct", "card": 3, "rank": rank, "by": "P-7", "reason": "MISREAD"}
    return {"do": "observe", "obs": obs}


def recorded(folder: Path) -> Path:
    """Nobody but the camera reads a card, and takes it for a seven; the pit says that it is an eight."""
    shoe, film = PtyShoe(), Film(seen())

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("above") == "live", 30)
        await live.say(*OPENING)
        for rank, suit in (("10", "s"), ("9", "h"), (None, None), ("8", "c")):
            before = live.now.state.cards_seen
            shoe.deal(rank, suit)
            await live.until(lambda: live.now.state.cards_seen > before)  # noqa: B023 - within the turn
        film.pictures = seen(BOX, BANK)
        async with asyncio.timeout(30):
            while (await live.get("/api/state"))["prompts"][0]["pad"]["guesses"] != [["7", 99]]:
                await asyncio.sleep(0.1)
        for rank in ("7", "8"):
            assert (await pit(live, correct(rank)))[0] == 200
        await asyncio.sleep(1)
        assert live.holds == [], "the camera sees the eight that the table has"
        await live.say(Decision(1, 1, "stand"), Reveal(), End())

    try:
        with http_camera(film) as address:
            play(folder, story, {"port": shoe.port}, camera=[camera("above", address, silence_ms=30_000)])
    finally:
        shoe.close()
    (file,) = (folder / "table.recordings").glob("*.mcap")
    return file


def test_the_pits_word_about_a_card_is_heard_again_by_the_replayed_camera(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    told = [(actor, body["was"], body["card"]) for _, actor, body in entries(tmp_path, "named")]
    assert told == [("pit:P-7", "7d", "8d")]
    with Recording(path) as recording:
        replayer = RecordingReplayer(recording)
        list(replayer.play())
        device = replayer.devices._devices["above"]
    assert (replayer.differences, replayer.counts[COMPARED]) == ([], replayer.counts["fact"])
    assert isinstance(device, ReplayedCamera)
    assert device.tracker.last is not None
    names = {track.name for track in device.tracker.last.scene.tracks}
    assert {("10", "s"), ("8", "d")} <= names
    assert call("replay", tmp_path / "table.journal").returncode == 0
