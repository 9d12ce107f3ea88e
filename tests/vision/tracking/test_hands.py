"""Whether a hand is on a card: seen in the picture, however long it lasts."""

from collections.abc import Callable

import pytest

from tests.vision.tracking.stage_kit import HEIGHT, STEP_MS, Lay, Stage, names
from vision.reading import ReadCard
from vision.tracking import TrackedScene
from vision.tracking.track import Appeared

EIGHT = Lay("8h", 150, 40)
UNREAD = Lay("?", 150, 40)
OTHER = Lay("Ks", 20, 20)
"""Lies there from the beginning and says how large a card is."""

HOLE = Lay("down", 150, 39)

ARM = [(165, y, 22) for y in range(92, HEIGHT + 20, 8)]
HAND = [(165, 98, 22), (165, 116, 20), (165, 130, 18)]
"""An arm to the picture's edge, and a hand of which the sleeve cannot be told from the felt."""


@pytest.fixture
def stage() -> Stage:
    stage = Stage()
    stage.run(200)
    stage.lay(OTHER)
    return stage


def lies_free(scene: TrackedScene) -> bool:
    """Whether something lies there beside the other card, and all of it free of hands."""
    return things(scene) > 1 and not scene.held


def things(scene: TrackedScene) -> int:
    return len(scene.tracks) + len(scene.unclear)


@pytest.mark.parametrize("card", [EIGHT, UNREAD, HOLE], ids=lambda card: card.name)
@pytest.mark.parametrize("hand", [ARM, HAND], ids=["arm", "hand"])
@pytest.mark.parametrize("ms", [500, 6000])
def test_a_card_is_held_as_long_as_a_hand_is_on_it_and_lies_free_after(
    stage: Stage, card: Lay, hand: list[tuple[int, int, int]], ms: int
) -> None:
    stage.lays, stage.hands = [OTHER, card], hand
    held = [stage.look() for _ in range(ms // STEP_MS)]
    assert things(held[-1]) > 1
    assert not any(lies_free(scene) for scene in held)
    stage.hands = [(165, 200, 20)]
    assert lies_free(stage.run(1500))


def test_a_card_that_goes_on_with_the_hand_never_lies_free_where_it_stopped(stage: Stage) -> None:
    stage.lays, stage.hands = [OTHER, EIGHT], ARM
    stage.run(2000)
    seen = []
    for step in range(12):
        stage.lays = [OTHER, Lay("8h", 150 + 8 * step, 40)]
        stage.hands = [(x + 8 * step, y, radius) for x, y, radius in ARM]
        seen.append(stage.look())
    stage.hands = []
    seen += [stage.look() for _ in range(40)]
    free = {round(track.at[0]) for scene in seen for track in scene.tracks if track.at not in scene.held}
    assert free - {round(OTHER.corners[0][0])} == {round(Lay("8h", 150 + 88, 40).corners[0][0])}


def chips(stage: Stage) -> None:
    stage.hands = [(165, 91, 9), (190, 91, 9)]


def printed(stage: Stage) -> None:
    for y in range(80, HEIGHT, 6):
        stage.print_block(160, y, 6)


def hand_beside(stage: Stage) -> None:
    stage.hands = [(x + 50, y, radius) for x, y, radius in ARM]


@pytest.mark.parametrize("beside", [chips, printed, hand_beside])
@pytest.mark.parametrize("card", [EIGHT, UNREAD], ids=lambda card: card.name)
def test_chips_print_and_a_hand_beside_it_hold_no_card(
    stage: Stage, beside: Callable[[Stage], None], card: Lay
) -> None:
    stage.lays = [OTHER, card]
    beside(stage)
    assert lies_free(stage.run(1500))


def test_cards_of_a_fan_lie_free(stage: Stage) -> None:
    fan = [
        Lay(name, 100 + 10 * place, 60 - 3 * place)
        for place, name in enumerate(["8h", "3c", "10d", "5s", "2c"])
    ]
    scene = stage.lay(*fan, ms=1500)
    assert (len(scene.tracks), scene.held) == (6, frozenset())


@pytest.mark.parametrize(("right", "below"), [(-11, 0), (0, 8), (11, -11), (8, 8)])
def test_a_back_read_along_and_across_is_one_card(stage: Stage, right: int, below: int) -> None:
    stage.lay(HOLE)
    plainly = stage.reader.read

    def both(*asked: object) -> object:
        reading = plainly(*asked)  # type: ignore[arg-type]
        crossed = tuple(across(card, right, below) for card in reading.cards if card.face == "down")
        return reading._replace(cards=reading.cards + crossed)

    stage.reader.read = both  # type: ignore[method-assign, assignment]
    scene = stage.lay(Lay("9h", 200, 40), Lay("8h", 110, 40), ms=1500)
    assert sorted(names(scene).values()) == ["8h", "9h", "Ks", "down"]
    assert len(stage.told(Appeared)) == 4


def across(card: ReadCard, right: int, below: int) -> ReadCard:
    """The read of a back with its outline across and its middle so far beside."""
    assert card.quad is not None
    (left, top), _, (end, foot), _ = card.quad
    x, y = (left + end) / 2 + right, (top + foot) / 2 + below
    wide, tall = (foot - top) / 2, (end - left) / 2
    quad = (x - wide, y - tall), (x + wide, y - tall), (x + wide, y + tall), (x - wide, y + tall)
    return card._replace(at=(x, y), quad=quad)
