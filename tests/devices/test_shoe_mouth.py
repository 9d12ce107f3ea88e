"""A camera at the shoe's mouth deals a round: stream, driver, reader, live table, recording, replay."""

import json
from pathlib import Path

import pytest

from controller.acts.catalogue import Bet, Close, Decision, End, Reveal
from controller.config import load_config
from controller.domain import ConfigError
from controller.runtime.api import Accepted, Resume
from tests.devices.mouth_kit import MouthFilm, mouth_section
from tests.drivers.camera.camera_server import http_camera
from tests.main.live_kit import Live, play
from tests.replay.replay_kit import call, objects

EXAMPLE = Path(__file__).parents[2] / "examples" / "mouth.toml"
TABLE = '[table]\nname = "BJ1"\nrules = "nl"\n[journal]\nfile = "day.journal"\n'
MOUTH = '[[camera]]\nname = "mouth"\nprofile = "shoe_mouth"\nsource = "0"\n'
SHOE = '[shoe]\nport = "/dev/shoe"\n'


async def draw(live: Live, film: MouthFilm, card: str) -> None:
    """A card slides out; it is on the table, or waits."""

    def counted() -> int:
        return live.now.state.shoe.seen + live.now.waiting

    before = counted()
    film.shoe.deal(card[:-1], card[-1])
    await live.until(lambda: counted() == before + 1, 20)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole round with a hole card that is turned, two like cards in a row, a hand and a dark lamp."""
    folder, film = tmp_path_factory.mktemp("mouth"), MouthFilm()

    async def story(live: Live) -> None:
        await live.say(Bet(1, 0, 1000), Close())
        for card in ("Ks", "9h", "Ks", "8c"):
            await draw(live, film, card)
        assert (live.holds, live.alerts) == ([], [])
        player, dealer = live.now.state.boxes[0].hands[0], live.now.state.dealer
        assert [str(seen.card) for seen in player.cards] == ["Ks", "Ks"]
        assert [str(seen.card) for seen in dealer.cards] == ["9h", "?"]
        page = await live.get("/api/state")
        assert not {"8c", "8♣"} & set(json.dumps(page, ensure_ascii=False).split('"'))
        await live.say(Decision(1, 1, "stand"), Reveal(), End())
        film.hidden = True
        await live.until(lambda: "SHOE_MOUTH_COVERED" in live.holds, 15)
        await live.until(lambda: live.device("mouth") == "stale", 15)
        film.hidden = False
        await live.until(lambda: live.device("mouth") == "live", 15)
        assert isinstance(await live.ask(Resume()), Accepted)
        film.light = 0.2
        await live.until(lambda: "DEVICE_STALE" in live.holds, 15)
        film.light = 1.0
        await live.until(lambda: "SHOE_MOUTH_GAP" in live.holds and live.device("mouth") == "live", 15)
        assert isinstance(await live.ask(Resume()), Accepted)

    with http_camera(film) as address:
        play(folder, story, None, camera=[mouth_section(address)], recording={"enabled": True})
    (file,) = (folder / "table.recordings").glob("*.mcap")
    return file


def test_a_recording_of_the_mouth_deals_the_same_cards_again(recording: Path) -> None:
    result = call("replay", "--json", recording)
    told = objects(result)[-2]
    assert result.returncode == 0, result.stdout
    assert told["differences"] == 0
    assert told["compared"] == told["messages"]["fact"] > 12
    assert told["messages"]["jpeg"] > 100


def test_a_round_is_cut_out_with_the_pictures_that_it_was_dealt_from(tmp_path: Path, recording: Path) -> None:
    cut = tmp_path / "round.mcap"
    done = call("export", "1", "--recording", recording, "--out", cut, "--no-pictures")
    assert done.returncode == 0, done.stdout
    result = call("replay", "--json", cut)
    told = objects(result)[-2]
    assert (result.returncode, told["differences"]) == (0, 0), result.stdout
    assert told["messages"]["jpeg"] > 40


def test_a_lost_mouth_holds_the_table_and_a_smeared_card_is_asked_for(tmp_path: Path) -> None:
    film = MouthFilm()

    async def story(live: Live) -> None:
        await live.say(Bet(1, 0, 1000), Close())
        await draw(live, film, "Ks")
        film.cut.set()
        await live.until(lambda: "DEVICE_LOST" in live.holds, 15)
        film.cut.clear()
        film.light = 1.0
        await live.until(lambda: live.device("mouth") == "live", 20)
        assert isinstance(await live.ask(Resume()), Accepted)
        await draw(live, film, "7d")
        assert str(live.now.state.dealer.cards[0].card) == "7d"
        film.smear_px = 41
        await draw(live, film, "5c")
        film.smear_px = 1
        await draw(live, film, "Qh")
        assert live.now.state.boxes[0].hands[0].cards[1].obs.rank is None
        assert live.now.expected.code == "WHICH_CARD"

    with http_camera(film) as address:
        play(tmp_path, story, None, camera=[mouth_section(address)])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "CONFIG_NO_CARDS"),
        (SHOE + MOUTH, "CONFIG_TWO_SHOES"),
        (MOUTH + MOUTH.replace('"mouth"', '"other"'), "CONFIG_TWO_SHOES"),
        (MOUTH + "required = false\n", "CONFIG_WRONG"),
        (MOUTH + "window = [0.5, 0, 0.6, 1]\n", "CONFIG_WRONG"),
        (MOUTH + "turn_deg = 45\n", "CONFIG_WRONG"),
        (MOUTH + "dealer = {x = 1, y = 1, radius = 1}\n", "CONFIG_WRONG"),
        (
            SHOE + '[camera]\nsource = "0"\ndealer = {x = 1, y = 1, radius = 1}\nturn_deg = 90\n',
            "CONFIG_WRONG",
        ),
    ],
)
def test_cards_come_from_one_source_and_its_mistakes_are_told(tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(TABLE + text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert caught.value.code == code


def test_a_window_beside_the_picture_is_told_when_the_devices_are_tried(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    with http_camera(MouthFilm()) as address:
        camera = MOUTH.replace('"0"', f'"{address}"')
        path.write_text(TABLE + camera + "window = [900, 0, 100, 100]\nsilence_ms = 500\n", encoding="utf-8")
        result = call("devices", path, "--json", "--seconds", "2.5")
    (found,) = objects(result)[-1]["configured"]
    assert (result.returncode, found["problem"]) == (1, "WINDOW_OUTSIDE"), result.stdout


def test_the_example_describes_a_whole_table() -> None:
    config = load_config(EXAMPLE)
    assert config.shoe is None
    assert config.shoe_mouth is not None
    assert (config.shoe_mouth.name, [eye.name for eye in config.table_cameras]) == ("mouth", ["above"])
