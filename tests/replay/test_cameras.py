"""Recorded pictures through driver, watcher and reader once more: what a camera said, it says again."""

import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from controller.acts.catalogue import Decision, End, HoldsLifted, Reveal
from controller.recording.format import decode_entry
from controller.recording.recording_reader import Recorded, Recording
from controller.runtime.api import Accepted, Observe
from drivers.simulated import PtyShoe
from tests.devices.test_cameras import BOXES, Film, camera, seen
from tests.drivers.camera.camera_server import http_camera
from tests.main.live_kit import Live, play
from tests.replay.camera_kit import BANK, BOX, STRANGER, deal
from tests.replay.recorded_kit import changed
from tests.replay.replay_kit import FEEDS, call, objects
from tests.runtime.runtime_kit import OPENING
from tests.studio.studio_kit import StudioServer
from tests.vision.enrolment.deck_kit import made_up_profile
from vision.enrolment import write_profile
from vision.inference import default_models_dir
from vision.networks import Networks

DEALER_ZONE = {"x": 690, "y": 970, "radius": 150}
HELD = FEEDS / "table" / "missed_box_is_void.feed.jsonl"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round in which a card turns up at a box that nobody has bet on."""
    folder, shoe, film = tmp_path_factory.mktemp("eyes"), PtyShoe(), Film(seen())

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("above") == "live", 30)
        await live.say(*OPENING)
        await deal(live, shoe)
        film.pictures = seen(BOX, BANK, STRANGER)
        await live.until(lambda: "CAMERA_DISAGREES" in live.holds, 40)
        film.pictures = seen(BOX, BANK)
        assert isinstance(
            await live.ask(Observe(HoldsLifted("p7", "glare", ("CAMERA_DISAGREES",)))), Accepted
        )
        await live.say(Decision(1, 1, "stand"), Reveal(), End())

    try:
        with http_camera(film) as address:
            cameras = [camera("above", address, silence_ms=30_000, dealer=DEALER_ZONE)]
            play(folder, story, {"port": shoe.port}, camera=cameras)
    finally:
        shoe.close()
    (file,) = (folder / "table.recordings").glob("*.mcap")
    return file


def test_what_the_camera_contradicted_it_contradicts_again(recording: Path) -> None:
    result = call("replay", "--json", recording)
    told = objects(result)[-2]
    assert result.returncode == 0, result.stdout
    assert told["messages"]["jpeg"] > 10
    assert (told["differences"], told["compared"]) == (0, told["messages"]["fact"])


def test_without_the_pictures_nothing_leads_to_what_the_camera_said(tmp_path: Path, recording: Path) -> None:
    def blind(recorded: Recorded) -> list[Recorded]:
        return [] if recorded.kind == "jpeg" else [recorded]

    result = call("replay", "--json", changed(recording, tmp_path / "blind.mcap", blind))
    assert result.returncode == 1
    missing = [line for line in objects(result) if line["type"] == "difference"]
    assert {line["code"] for line in missing} == {"NOT_MADE"}
    assert "CAMERA_DISAGREES" in {line["recorded"]["body"].get("code") for line in missing}


def test_a_round_with_its_pictures_is_cut_out_or_without_them(tmp_path: Path, recording: Path) -> None:
    with_them, without = tmp_path / "with.mcap", tmp_path / "without.mcap"
    done = call("export", "1", "--recording", recording, "--out", with_them)
    assert done.returncode == 0, done.stdout
    call("export", "1", "--recording", recording, "--out", without, "--no-pictures")
    assert without.stat().st_size < 40_000 < with_them.stat().st_size


def test_each_picture_of_a_camera_without_a_table_is_a_place_to_step_to(
    tmp_path: Path, recording: Path
) -> None:
    def pictures(recorded: Recorded) -> list[Recorded]:
        return [recorded] if recorded.kind in {"jpeg", "mark"} else []

    alone = changed(recording, tmp_path / "alone.mcap", pictures, table=False, mode="record")
    with Recording(alone) as told:
        count = sum(one.kind == "jpeg" for one in told)
    with StudioServer([alone], face_down=True) as server:
        server.enter()
        pictured = [step for step in server.get("/api/studio/0")["steps"] if step["cameras"] == ["above"]]
        assert len(pictured) == count > 10
        last = seen_at(server, len(pictured) - 1)
        assert {(card["box"], card["card"]) for card in last["cameras"][0]["view"]["cards"]} >= {(1, "10s")}


def test_the_studio_shows_what_was_seen_at_each_step_and_no_byte_of_the_face_down_card(
    recording: Path,
) -> None:
    names, chunks = {0: "first", 3: "hole"}, dict[str, bytes]()
    with Recording(recording) as told:
        cards = 0
        for one in told:
            if one.kind == "fact":
                cards += decode_entry(one.data, "").body.count(b'"obs":"card"')
            elif one.kind == "rx" and one.source == "shoe" and cards in names:
                chunks[names[cards]] = one.data
    with StudioServer([recording]) as server:
        server.enter()
        file = server.get("/api/studio/0")
        assert file["cameras"] == ["above"]
        assert file["findings"][0]["text"]["code"] == "alert.CAMERA_DISAGREES"
        seen = [seen_at(server, at) for at in range(len(file["steps"]))]
        kinds = [step["what"] for step in file["steps"]]
        decided, dealt = kinds.index("decision"), len(kinds) - 1 - kinds[::-1].index("card")
        # The picture that contradicted came before the ruling on it; the decision may follow at once.
        assert ["above"] in [step["cameras"] for step in file["steps"][dealt + 1 : decided + 1]]
        (camera,) = seen[decided]["cameras"]
        assert camera["before_ms"] < 2000
        cards_seen = {(card["box"], card["card"]) for card in camera["view"]["cards"]}
        assert {(1, "10s"), (1, "7d")} <= cards_seen
        assert "9h" not in {card for _, card in cards_seen}
        view = camera["view"]
        picture = np.frombuffer(server.bytes(view["picture"]), dtype=np.uint8)
        shown = cv2.imdecode(picture, cv2.IMREAD_GRAYSCALE)
        assert shown is not None
        shown = cv2.resize(shown, (view["width"], view["height"]))
        assert np.max(shown[960:980, 680:700]) < 20 < shown[330:350, 60:90].mean()
        # On a busy machine the first step may already have a picture.
        missing = [f"{at}/0" for at, step in enumerate(file["steps"]) if not step["cameras"]][:1]
        missing.append(f"{decided}/1")
        assert [server.status(f"/api/studio/0/picture/{one}") for one in missing] == [404] * len(missing)
        heat = cv2.imdecode(np.frombuffer(server.bytes(camera["heat"]), np.uint8), cv2.IMREAD_UNCHANGED)
        assert heat is not None
        over = cv2.resize(heat[..., 3], (view["width"], view["height"]))
        (shown_card,) = (card for card in view["cards"] if card["card"] == "10s")
        xs, ys = shown_card["corners"][0::2], shown_card["corners"][1::2]
        assert np.max(over[min(ys) : max(ys), min(xs) : max(xs)]) > 100
        assert np.max(over[900:1040, 620:760]) < 50, "the dealer's cards are black, and have no heat"
        assert [server.status(f"/api/studio/0/heat/{one}") for one in missing] == [404] * len(missing)
    received = [chunk for one in seen for chunk in one["received"]]
    assert chunks["first"].hex(" ") in {chunk["hex"] for chunk in received}
    assert any("rank 10, suit s" in words for chunk in received for words in chunk["reports"])
    assert all(chunks["hole"].hex(" ") not in chunk["hex"] for chunk in received)
    assert seen[decided]["hidden"]


def other_settings(folder: Path, deck: str = "") -> Path:
    """The configuration of that table, its camera with the profile of another deck if one is named."""
    boxes = [f"{{x = {box['x']}, y = {box['y']}, radius = {box['radius']}}}" for box in BOXES]
    path = folder / f"settings{deck}.toml"
    path.write_text(
        '[table]\nname = "BJ1"\nrules = "spielbank"\n[journal]\nfile = "t.journal"\n[shoe]\nport = "pty"\n'
        '[[camera]]\nname = "above"\nsource = "0"\ndealer = {x = 690, y = 970, radius = 150}\n'
        f"boxes = [{', '.join(boxes)}]\n" + (f'deck = "{deck}"\n' if deck else "")
    )
    return path


@pytest.mark.night
def test_what_the_camera_reads_under_another_decks_profile_is_compared_card_by_card(
    tmp_path: Path, recording: Path
) -> None:
    network = Networks.open(default_models_dir(), 1).indices.sha256
    write_profile(made_up_profile(network, 96)[0], tmp_path / "other.profile")
    same, other = other_settings(tmp_path), other_settings(tmp_path, "other.profile")
    done = call("diff", recording, "--config", same)
    assert (done.returncode, done.stdout) == (0, "No difference in 1 round.\n")

    done = call("diff", recording, "--config", other, "--json")
    found = [one for one in objects(done) if one["type"] == "difference"]
    assert done.returncode == 1
    read = {(one["code"], one["box"], *one.get("expected", ())) for one in found if one["what"] == "read"}
    assert {("above", 1, "10s"), ("above", 1, "7d")} <= read
    assert "9h" not in done.stdout

    assert call("diff", recording, "--config", other, "--rules", "de").returncode == 2
    lines_alone = call("diff", HELD, "--config", other, "--json")
    assert (lines_alone.returncode, "DIFF_NOT_RECORDED" in lines_alone.stderr) == (2, True)
    assert call("diff", recording, "--config", tmp_path / "none.toml").returncode == 2


def seen_at(server: StudioServer, at: int) -> Any:
    """What was seen at a step, once the recording was read up to there."""
    while (seen := server.get(f"/api/studio/0/seen/{at}"))["state"] == "reading":
        time.sleep(0.02)
    return seen
