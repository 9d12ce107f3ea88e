"""A deck that is learnt from recordings of its own table, and what of them teaches nothing."""

from pathlib import Path
from typing import Final

import pytest

from controller.domain import ConfigError
from controller.replay.recorded_deck import deck_looks
from tests.replay.dealt_kit import BOXES, Change, Laid, dealt_rounds, filmed
from vision.enrolment import DoubtfulCard
from vision.networks import Networks
from vision.reader import CardReader

ROUNDS: Final = 3
CARDS: Final = 2 * BOXES + 2
"""Of a round, the dealer's face-down card included, which is turned."""


@pytest.fixture(scope="module")
def networks() -> Networks:
    return CardReader.open(threads=1).networks


@pytest.fixture(scope="module")
def dealt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dealt_rounds(tmp_path_factory.mktemp("dealt"), ROUNDS)


def test_each_card_of_a_clear_round_teaches_its_name(dealt: Path, tmp_path: Path, networks: Networks) -> None:
    looks = deck_looks([filmed(dealt, tmp_path / "a.mcap")], networks)
    assert (looks.rounds, looks.used, looks.cards) == (ROUNDS, ROUNDS, ROUNDS * CARDS)
    assert len(looks.pictures) == ROUNDS * CARDS
    assert looks.doubts.total() == 0
    assert {picture.fold for picture in looks.pictures} == {0, 1, 2}
    shown = {card.name for picture in looks.pictures for card in picture.cards}
    assert {("10", "s"), ("9", "h"), ("K", "d"), ("8", "c")} <= shown
    assert not shown & set(looks.not_pictured)


def exchanged(number: int, laid: Laid) -> Laid:
    """The second and the third card of the first round had changed their order."""
    if number or len(laid) < 2:
        return laid
    names = [name for name, _, _ in laid]
    names[1:3] = names[2:3] + names[1:2] if len(names) > 2 else ["7s"]
    return [(name, at, down) for name, (_, at, down) in zip(names, laid, strict=True)]


def one_too_many(number: int, laid: Laid) -> Laid:
    """A card that nobody told lies there in the first round."""
    return [*laid, ("5d", (700, 120), False)] if not number and len(laid) > 3 else laid


def never_arrived(number: int, laid: Laid) -> Laid:
    """The third card of the first round never came."""
    return laid if number else laid[:2] + laid[3:]


@pytest.mark.parametrize(
    ("seen", "doubt"),
    [
        (exchanged, DoubtfulCard.DIFFERS),
        pytest.param(one_too_many, DoubtfulCard.COUNT, marks=pytest.mark.night),
        (never_arrived, DoubtfulCard.COUNT),
    ],
)
def test_a_round_whose_order_is_in_doubt_teaches_nothing(
    seen: Change, doubt: DoubtfulCard, dealt: Path, tmp_path: Path, networks: Networks
) -> None:
    looks = deck_looks([filmed(dealt, tmp_path / "a.mcap", seen)], networks)
    assert (looks.used, len(looks.pictures), looks.doubts[doubt]) == (
        ROUNDS - 1,
        (ROUNDS - 1) * CARDS,
        CARDS,
    )


def test_a_recording_without_a_camera_is_named(dealt: Path, networks: Networks) -> None:
    with pytest.raises(ConfigError) as refused:
        deck_looks([dealt], networks)
    assert refused.value.code == "ENROL_NO_ROUNDS"
    assert refused.value.params["path"] == str(dealt)


def test_a_recording_that_was_cut_teaches_its_whole_rounds(
    dealt: Path, tmp_path: Path, networks: Networks
) -> None:
    whole = filmed(dealt, tmp_path / "a.mcap").read_bytes()
    cut = tmp_path / "b.mcap.partial"
    cut.write_bytes(whole[: len(whole) * 9 // 10])
    looks = deck_looks([cut], networks)
    assert (looks.rounds, len(looks.pictures)) == (ROUNDS - 1, (ROUNDS - 1) * CARDS)
