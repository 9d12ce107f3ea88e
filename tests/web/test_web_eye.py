"""Which hint several cameras give together, and when there is none."""

import pytest

from controller.domain import Card
from controller.runtime.contradictions import CameraSight, TrackedCard
from controller.screens.evidence import CardPictures, PictureHint

EIGHT, FIVE = Card("8", "h"), Card("5")


class Seen:
    """Cameras that see these things at every box; a picture is as long as it has things in it."""

    watching = True

    def __init__(self, *spots: TrackedCard) -> None:
        self.spots = spots

    def at(self, box: int) -> tuple[TrackedCard, ...]:
        return tuple(spot._replace(box=box) for spot in self.spots)

    def picture(self, spots: tuple[TrackedCard, ...], *, at_once: bool = False) -> bytes | None:  # noqa: ARG002 - as the protocol names it
        return bytes(len(spots)) or None

    def sights(self, *, hides_dealer: bool) -> tuple[CameraSight, ...]:  # noqa: ARG002 - as the protocol names it
        return ()


def card(name: str, camera: str = "left", **more: object) -> TrackedCard:
    return TrackedCard(camera, 1, (0.0, 0.0), Card(name[:-1], name[-1]), p=0.999)._replace(**more)  # type: ignore[arg-type]


def thing(rank: str | None, p: float, camera: str = "left") -> TrackedCard:
    return TrackedCard(camera, 1, (0.0, 0.0), None, rank, p)


@pytest.mark.parametrize(
    ("spots", "guesses"),
    [
        ((card("8h"), thing("3", 0.7)), (("3", 70),)),
        ((card("8h", in_sight=False), thing("3", 0.7)), (("3", 70),)),
        ((card("8h"), thing("3", 0.7), thing(None, 0.0)), (("3", 70),)),
        ((card("8h"), thing("3", 0.7), thing("9", 0.7)), ()),
        ((card("8h"), thing("3", 0.59)), ()),
        ((card("8h"), thing(None, 0.0)), ()),
        ((card("8h"), card("Kc")), (("K", 99),)),
        ((card("8h"), card("Kc"), card("Kd")), ()),
        ((card("8h"), card("8h")), (("8", 99),)),
        ((card("8c"), thing("3", 0.9)), ()),
        ((thing("3", 0.9),), ()),
        ((card("8h"), thing("3", 0.7), card("8h", "right"), card("3d", "right")), (("3", 99),)),
        ((card("8h"), thing("3", 0.7), card("8h", "right"), card("4d", "right")), ()),
    ],
)
def test_a_hint_needs_all_other_cards_known_and_one_rank(
    spots: tuple[TrackedCard, ...], guesses: tuple[tuple[str, int], ...]
) -> None:
    assert CardPictures(Seen(*spots)).unread(1, [EIGHT]).guesses == guesses


def test_a_card_in_doubt_explains_nothing_and_is_no_stranger() -> None:
    doubted = card("8h", seen=Card("3", "d"))
    assert CardPictures(Seen(doubted)).unread(1, [EIGHT]) == PictureHint()
    assert CardPictures(Seen(doubted)).unread(1, [FIVE]) == PictureHint()


def test_two_unread_cards_of_a_box_are_not_told_apart() -> None:
    assert CardPictures(Seen(card("8h"), thing("3", 0.9))).unread(1, [EIGHT, Card(None)]) == PictureHint()


def test_only_the_last_pictures_are_kept_under_names_that_nobody_can_guess() -> None:
    eye = CardPictures(Seen())
    names = [eye.picture(tuple(card("8h") for _ in range(number))) for number in range(1, 40)]
    kept = [name for name in names if name and eye.fetch(name.rpartition("/")[2])]
    assert kept == names[-16:]
    assert eye.fetch("../secret") is None
