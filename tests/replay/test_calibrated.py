"""A recording in whose middle the camera was calibrated in its place: each part by the layout of then."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.acts.catalogue import Decision, End, HoldsLifted, Reveal
from controller.config import TableConfig
from controller.recording.recording_reader import Recording
from controller.replay.devices import recorded_config
from controller.replay.recording_replayer import RecordingReplayer
from controller.runtime.api import Accepted, DeviceOrder, Observe, Resume
from drivers.simulated import PtyShoe
from tests.devices.bumped_film import section, shown
from tests.devices.test_cameras import Film
from tests.drivers.camera.camera_server import http_camera
from tests.main.live_kit import Live, play
from tests.replay.camera_kit import BANK, BOX, STRANGER, deal
from tests.replay.recorded_kit import changed
from tests.replay.replay_kit import call, objects
from tests.runtime.runtime_kit import OPENING
from vision.calibration import load_layout
from vision.tracking import track, tracker

MORE_S = 1.5


@pytest.fixture(scope="module", autouse=True)
def patience() -> Iterator[None]:
    """A busy machine looks at too few pictures to be certain within 1.5 s, a replay at all: neither warns."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (tracker, track):
            patch.setattr(module, "UNREAD_MS", 60_000)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round in which the camera is bumped and calibrated anew, and then contradicts the table."""
    folder, shoe, film = tmp_path_factory.mktemp("calibrated"), PtyShoe(), Film(shown())

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("above") == "live", 30)
        await live.say(*OPENING)
        await deal(live, shoe)
        film.pictures = shown(BOX, BANK)
        film.pictures = shown(BOX, BANK, bumped=True)
        await live.until(lambda: "CAMERA_BUMPED" in live.holds, 40)
        assert isinstance(await live.ask(DeviceOrder("above", "calibrate", "bumped with a tray")), Accepted)
        await live.until(lambda: "CAMERA_CALIBRATED" in live.alerts and live.device("above") == "live", 40)
        assert isinstance(await live.ask(Resume()), Accepted)
        film.pictures = shown(BOX, BANK, STRANGER, bumped=True)
        await live.until(lambda: "CAMERA_DISAGREES" in live.holds, 40)
        # A replay looks at each picture, the live table at those that it had the time for: some more of them.
        await asyncio.sleep(MORE_S)
        film.pictures = shown(BOX, BANK, bumped=True)
        assert isinstance(
            await live.ask(Observe(HoldsLifted("p7", "glare", ("CAMERA_DISAGREES",)))), Accepted
        )
        await live.say(Decision(1, 1, "stand"), Reveal(), End())

    try:
        with http_camera(film) as address:
            play(folder, story, {"port": shoe.port}, camera=[section(folder, address)])
    finally:
        shoe.close()
    return folder


def recording_of(folder: Path) -> Path:
    (file,) = (folder / "table.recordings").glob("*.mcap")
    return file


def layouts_of(path: Path, layout: Path, config: TableConfig | None = None) -> list[str]:
    """The files by which the camera saw, one after the other, while a recording is played."""
    names = {load_layout(file).model_dump_json(): file.name for file in layout.parent.glob("layout*.toml")}
    found: list[str] = []
    players: list[RecordingReplayer] = []

    def look(_t: float, _recorded: object) -> None:
        for camera in players[0].devices.table_cameras().values() if players else ():
            assert camera.tracker.layout is not None
            name = names[camera.tracker.layout.model_dump_json()]
            if found[-1:] != [name]:
                found.append(name)

    with Recording(path) as recording:
        players.append(RecordingReplayer(recording, config, before=look))
        for _ in players[0].play():
            pass
        assert players[0].differences == []
    return found


def test_each_part_is_seen_by_the_layout_of_then(folder: Path) -> None:
    assert layouts_of(recording_of(folder), folder / "layout.toml") == ["layout.toml", "layout.anew-1.toml"]
    told = objects(call("replay", "--json", recording_of(folder)))[-2]
    # The order to the camera and its answer are taken as they were.
    assert (told["differences"], told["compared"]) == (0, told["messages"]["fact"] - 2)


@pytest.mark.night
def test_the_round_cut_out_of_it_and_other_settings_do_the_same(folder: Path, tmp_path: Path) -> None:
    path, layout = recording_of(folder), folder / "layout.toml"
    cut = tmp_path / "cut.mcap"
    assert call("export", "1", "--recording", path, "--out", cut).returncode == 0
    assert layouts_of(cut, layout) == ["layout.toml", "layout.anew-1.toml"]
    with Recording(path) as recording:
        config = recorded_config(recording)
    assert config is not None
    assert layouts_of(path, layout, config) == ["layout.toml", "layout.anew-1.toml"]


def test_a_recording_whose_layout_is_not_there_is_refused_but_for_other_settings(
    folder: Path, tmp_path: Path
) -> None:
    path = changed(recording_of(folder), tmp_path / "other.mcap", lambda one: [one])
    with Recording(path) as recording:
        config = recorded_config(recording)
    assert config is not None
    layout = folder / "layout.toml"
    written = layout.read_text()
    try:
        layout.write_text(written.replace("# ", "#  ", 1))
        refused = call("replay", path)
        assert (refused.returncode, "SHA-256" in refused.stderr) == (2, True), refused.stderr
        with Recording(path) as recording:
            replayer = RecordingReplayer(recording, config)
            assert sum(1 for _ in replayer.play()) > 0
    finally:
        layout.write_text(written)
