"""A live table whose camera reads with a deck's profile, and another deck comes to the felt."""

from pathlib import Path

import numpy as np
import pytest

from controller.devices.cameras.follower import FrameResult, troubles_of
from controller.devices.cameras.tracker import open_tracker
from controller.runtime.api import Accepted, Resume
from drivers.simulated import PtyShoe
from tests.devices.test_cameras import Film, camera
from tests.devices.test_frame_follower import PLAN
from tests.drivers.camera.camera_server import http_camera, jpeg
from tests.main.live_kit import Live, play
from tests.vision.enrolment.deck_kit import ENGLISH, FRENCH, ORDER, spread
from vision.enrolment import PrintNotice, enrol, write_profile
from vision.reader import CardReader
from vision.synth import CardStyle

COURTS = [name for name in ORDER if name.rank in "AJQK"]


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a deck that prints 1, V, D and R."""
    path = tmp_path_factory.mktemp("deck") / "house.profile"
    networks = CardReader.open(threads=1).networks
    write_profile(enrol([spread(FRENCH, seed).labelled() for seed in range(2)], networks), path)
    return path


def test_another_deck_holds_the_table_and_none_of_its_cards_is_told(
    profile: Path, tmp_path: Path, shoe: PtyShoe
) -> None:
    shown = spread(ENGLISH, 7, names=COURTS).image

    async def story(live: Live) -> None:
        await live.until(lambda: "DECK_OTHER_DESIGN" in live.holds, 60)
        alert = next(one for one in live.now.alerts if one.code == "DECK_OTHER_DESIGN")
        figures = dict(alert.params)
        assert (alert.severity, figures["name"], figures["beyond"]) == ("critical", "above", 4)
        assert isinstance(await live.ask(Resume()), Accepted)
        assert live.holds == []

    noise = np.random.default_rng(3)
    film = [jpeg(np.clip(shown + noise.normal(0, 1, shown.shape), 0, 255).astype(np.uint8)) for _ in range(3)]
    with http_camera(Film(film)) as source:
        cameras = [camera("above", source, deck=str(profile))]
        play(tmp_path, story, {"port": shoe.port}, camera=cameras)


@pytest.mark.night
def test_the_deck_of_the_profile_stays_untold(profile: Path) -> None:
    tracker = open_tracker(None, deck=profile)
    for shown in (spread(FRENCH, 7), spread(FRENCH, 8)):
        told = [tracker(shown.image, number * 40_000_000) for number in range(50)]
        assert [result.deck for result in told if result.deck is not None] == []
    assert tracker.last is not None
    assert sum(track.name is not None for track in tracker.last.scene.tracks) > 26


@pytest.mark.parametrize(("style", "noticed"), [(FRENCH, ["new"]), (ENGLISH, [])], ids=["French", "English"])
def test_a_deck_without_a_profile_that_stays_unread_is_noticed_once(
    style: CardStyle, noticed: list[str]
) -> None:
    tracker, shown = open_tracker(None), spread(style, 7).image
    told = [tracker(shown, number * 200_000_000).deck for number in range(16)]
    assert [notice.what for notice in told if notice is not None] == noticed


def test_wear_only_warns_and_a_spare_camera_never_holds() -> None:
    worn, other = PrintNotice("worn", 40, 0, 37), PrintNotice("other", 24, 5, 44)
    (new,) = troubles_of(FrameResult((), deck=PrintNotice("new", 24, 9, 0)), PLAN)
    assert (new.code, new.hold) == ("DECK_NOT_ENROLLED", False)
    figures = (("name", "camera"), ("cards", 40), ("beyond", 0), ("percent", 37))
    (told,) = troubles_of(FrameResult((), deck=worn), PLAN)
    assert told == ("DECK_WORN", figures, False)
    holds = [
        troubles_of(FrameResult((), deck=other), PLAN._replace(required=required))[0].hold
        for required in (True, False)
    ]
    assert holds == [True, False]
