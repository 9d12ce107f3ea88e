"""Drawn cards slide past a camera at a shoe's mouth: seen, named, counted; and what keeps it from seeing."""

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from vision.card_passes import CardLeft, CutCardLeft, ExitSide, MouthEvent, PulledBack, Uncertain
from vision.geometry import Image
from vision.inference import default_models_dir
from vision.networks import Networks
from vision.shoe_mouth import MouthCameraSetup, MouthTracker
from vision.synth.card import CardArt, draw_card, draw_cut_card
from vision.synth.demo_table import MOUTH_HEIGHT, MOUTH_WIDTH, Passage, draw_mouth, empty_mouth, with_noise
from vision.synth.style import CASINO_STYLE

STEP_MS = 1000 / 30


@pytest.fixture(scope="module")
def networks() -> Networks:
    return Networks.open(default_models_dir(), 1)


def art(card: str) -> CardArt:
    return draw_card(CASINO_STYLE, card[:-1], card[-1], 352)


def film(*passages: Passage, leaves: ExitSide = "bottom", seed: int = 1) -> Iterator[tuple[int, Image]]:
    """Noisy pictures from before the first card until after the last."""
    noise = np.random.default_rng(seed)
    now_ms = 0.0
    while now_ms < passages[-1].end_ms + 200:
        present = next((one for one in passages if one.start_ms <= now_ms <= one.end_ms), None)
        yield round(now_ms), with_noise(draw_mouth(present, now_ms, leaves), noise)
        now_ms += STEP_MS


def told(watcher: MouthTracker, pictures: Iterator[tuple[int, Image]]) -> list[object]:
    """Names of the cards that have left, and everything else as it was told."""
    events: list[MouthEvent] = []
    for now_ms, picture in pictures:
        events += watcher.update(picture, now_ms).events
    return [
        "".join(filter(None, event.name or "?")) if isinstance(event, CardLeft) else event for event in events
    ]


@pytest.mark.parametrize("leaves", ["bottom", "top", "right", "left"])
def test_cards_are_named_in_their_order_whichever_way_they_leave(
    networks: Networks, leaves: ExitSide
) -> None:
    cards = ["Kh", "Kh", "10c"]
    passages = [Passage(art(card), 200 + 700 * place) for place, card in enumerate(cards)]
    watcher = MouthTracker(networks, MouthCameraSetup(leaves=leaves))
    assert told(watcher, film(*passages, leaves=leaves)) == cards


@pytest.mark.parametrize(("turn_deg", "code"), [(90, 2), (180, 1), (270, 0)])
def test_a_part_of_a_turned_picture_is_enough(networks: Networks, turn_deg: int, code: int) -> None:
    def seen() -> Iterator[tuple[int, Image]]:
        for now_ms, picture in film(Passage(art("7s"), 200)):
            whole = np.full((500, 600, 3), 90, np.uint8)
            turned = cv2.rotate(picture, code)
            whole[100 : 100 + turned.shape[0], 150 : 150 + turned.shape[1]] = turned
            yield now_ms, whole

    size = (MOUTH_WIDTH, MOUTH_HEIGHT) if turn_deg == 180 else (MOUTH_HEIGHT, MOUTH_WIDTH)
    assert told(MouthTracker(networks, MouthCameraSetup((150, 100, *size), turn_deg)), seen()) == ["7s"]
    shares = (0.25, 0.2, size[0] / 600, size[1] / 500)
    assert told(MouthTracker(networks, MouthCameraSetup(shares, turn_deg)), seen()) == ["7s"]


def test_a_camera_that_looks_into_a_mirror_reads_the_same(networks: Networks) -> None:
    seen = [
        (now_ms, np.ascontiguousarray(picture[:, ::-1])) for now_ms, picture in film(Passage(art("7s"), 200))
    ]
    assert told(MouthTracker(networks, MouthCameraSetup(mirrored=True)), iter(seen)) == ["7s"]
    assert told(MouthTracker(networks, MouthCameraSetup()), iter(seen)) != ["7s"]


def test_a_card_that_lies_there_at_the_start_and_one_that_goes_back(networks: Networks) -> None:
    first, back, again = (Passage(art("9d"), 600 * place, back=place == 1) for place in range(3))
    lying = ((now_ms, picture) for now_ms, picture in film(first, back, again) if now_ms > 250)
    # Whether the first one had been counted before nobody knows.
    assert told(MouthTracker(networks, MouthCameraSetup()), lying) == [
        Uncertain("unclear"),
        "9d",
        PulledBack(),
        "9d",
    ]


def test_smeared_cards_and_sheets_without_an_index_have_no_name(networks: Networks) -> None:
    yellow = draw_cut_card(CASINO_STYLE._replace(seed=22), 352)
    passages = [Passage(art("Kh"), 200), Passage(yellow, 900)]
    pose = MouthCameraSetup(cut_bgr=(30, 210, 240))
    smeared = ((now_ms, np.asarray(cv2.blur(picture, (45, 1)))) for now_ms, picture in film(*passages))
    assert told(MouthTracker(networks, pose), smeared) == ["?", CutCardLeft()]


def _hand(picture: Image) -> Image:
    return np.asarray(picture * 0.1 + np.array((95.0, 120.0, 175.0)), np.uint8)


@pytest.mark.parametrize(
    ("about", "shade"),
    [
        ("covered", _hand),
        ("dark", lambda picture: picture // 12),
        ("glare", lambda picture: np.full_like(picture, 254)),
    ],
)
def test_what_hides_the_mouth_is_told_and_the_card_under_it_not_guessed(
    networks: Networks, about: str, shade: object
) -> None:
    assert callable(shade)
    watcher = MouthTracker(networks, MouthCameraSetup())
    hidden = (
        (now_ms, shade(picture) if 150 < now_ms < 900 else picture)
        for now_ms, picture in film(Passage(art("Kh"), 250), Passage(art("5c"), 1000))
    )
    assert told(watcher, hidden) == [Uncertain(about), "5c"]  # type: ignore[arg-type]


def test_no_card_comes_of_anything_else(networks: Networks) -> None:
    """Noise, print, stripes, pictures of other sizes: doubts perhaps, and never a name."""
    chance = np.random.default_rng(3)
    odd = [chance.integers(0, 256, (MOUTH_HEIGHT, MOUTH_WIDTH, 3), dtype=np.uint8) for _ in range(6)]
    odd += [np.full((MOUTH_HEIGHT, MOUTH_WIDTH, 3), level, np.uint8) for level in (0, 90, 200, 255)]
    odd += [
        np.full((height, width, 3), 180, np.uint8) for height, width in ((1, 1), (3, 900), (700, 2), (48, 48))
    ]
    odd += [
        np.tile(np.array([0, 255], np.uint8), (MOUTH_HEIGHT, MOUTH_WIDTH // 2, 1))
        .reshape(MOUTH_HEIGHT, MOUTH_WIDTH, 1)
        .repeat(3, 2)
    ]
    watcher = MouthTracker(networks, MouthCameraSetup())
    seen = [empty_mouth() if place % 3 == 0 else odd[int(chance.integers(len(odd)))] for place in range(120)]
    events = [watcher.update(picture, 33 * place).events for place, picture in enumerate(seen)]
    assert [event for part in events for event in part if isinstance(event, CardLeft) and event.name] == []


def test_a_window_beyond_the_picture_is_told(networks: Networks) -> None:
    watcher = MouthTracker(networks, MouthCameraSetup((5000, 0, 100, 100)))
    assert watcher.update(empty_mouth(), 0) == ((), "outside")
