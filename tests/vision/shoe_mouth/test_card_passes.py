"""Cards past a shoe's mouth, counted from what single pictures show: each once, and never a guess."""

import random
from typing import Literal

import pytest

from vision.card_passes import (
    CardLeft,
    CardPasses,
    CutCardLeft,
    Foreground,
    IndexDetection,
    MouthEvent,
    MouthObservation,
    MouthState,
    PulledBack,
    Uncertain,
)
from vision.reading import CardName

STEP_MS = 33
Hidden = Literal["covered", "dark", "glare"]
KING, FIVE = CardName("K", "h"), CardName("5", "c")


class Mouth:
    """Pictures of a mouth, one every 33 ms, as a view would judge them."""

    def __init__(self) -> None:
        self.passes = CardPasses()
        self.now_ms = 0
        self.events: list[MouthEvent] = []

    def show(self, sees: MouthState, times: int = 1, *, middle: float = 0.5, **seen: bool) -> None:
        view = {"at_entry": False, "at_exit": False, "moving": sees != "empty"} | seen
        self._take(Foreground(sees, **view, middle=middle), (), times)

    def card(
        self,
        name: CardName | None,
        along: float = 0.5,
        times: int = 1,
        *,
        moving: bool = False,
        entry: bool = True,
        exit_: bool = True,
    ) -> None:
        sights = () if name is None else (IndexDetection(name, 0.99, along),)
        self._take(Foreground("sheet", entry, exit_, moving), sights, times)

    def comes(self, name: CardName, along: float = 0.5, rest: int = 5) -> None:
        """A card slides in and rests."""
        self.card(None, moving=True, exit_=False)
        self.card(None, moving=True)
        self.card(name, along, moving=True)
        self.card(name, along, rest)

    def goes(self) -> None:
        """The card slides on and out, and leaves the mouth empty."""
        self.card(None, moving=True)
        self.card(None, moving=True, entry=False)
        self.show("empty", 3)

    def wait(self, ms: int) -> None:
        self.now_ms += ms

    def _take(self, view: Foreground, sights: tuple[IndexDetection, ...], times: int) -> None:
        for _ in range(times):
            self.now_ms += STEP_MS
            self.events += self.passes.take(MouthObservation(self.now_ms, view, sights))

    @property
    def told(self) -> list[object]:
        """Names of the cards that have left, and everything else as it was told."""
        return [event.name if isinstance(event, CardLeft) else event for event in self.events]


@pytest.fixture
def mouth() -> Mouth:
    mouth = Mouth()
    mouth.show("empty", 3)
    return mouth


def test_a_card_counts_once_when_it_has_left(mouth: Mouth) -> None:
    mouth.comes(KING)
    assert mouth.told == []
    assert mouth.passes.named == KING
    mouth.goes()
    assert mouth.told == [KING]


def test_two_like_cards_are_two_and_one_that_is_shown_for_minutes_is_one(mouth: Mouth) -> None:
    mouth.comes(KING)
    mouth.goes()
    mouth.comes(KING, rest=5000)
    mouth.goes()
    assert mouth.told == [KING, KING]


def test_a_card_that_jitters_is_one(mouth: Mouth) -> None:
    chance = random.Random(17)
    mouth.comes(KING)
    for _ in range(200):
        mouth.card(None, times=chance.randrange(3), moving=True)
        mouth.card(KING, 0.5 + chance.uniform(-0.1, 0.1), moving=chance.random() < 0.8)
    mouth.goes()
    assert mouth.told == [KING]


def test_a_card_that_never_was_certain_counts_without_a_name(mouth: Mouth) -> None:
    mouth.comes(KING, rest=0)
    mouth.card(None, times=6)
    mouth.goes()
    assert mouth.told == [None]


def test_reads_that_contradict_each_other_make_no_name(mouth: Mouth) -> None:
    mouth.comes(KING, rest=3)
    mouth.card(FIVE, times=3)
    mouth.goes()
    assert mouth.told == [None]


def test_a_card_that_is_pushed_back_is_told_and_counts_only_when_it_is_drawn(mouth: Mouth) -> None:
    mouth.comes(KING)
    mouth.card(KING, 0.4, moving=True)
    mouth.card(KING, 0.2, moving=True)
    mouth.card(None, moving=True, exit_=False)
    mouth.show("empty", 3)
    assert mouth.told == [PulledBack()]
    mouth.comes(KING)
    mouth.goes()
    assert mouth.told == [PulledBack(), KING]


def test_the_edge_of_a_card_that_only_peeps_out_is_nothing(mouth: Mouth) -> None:
    for _ in range(5):
        mouth.card(None, moving=True, exit_=False)
        mouth.show("empty", 3)
    assert mouth.told == []


def test_the_next_card_may_follow_without_a_gap_when_it_has_another_name(mouth: Mouth) -> None:
    mouth.comes(KING)
    mouth.card(KING, 0.8, moving=True)
    mouth.card(None, times=3, moving=True)
    mouth.card(FIVE, 0.2, moving=True)
    mouth.card(FIVE, 0.5, times=4)
    mouth.goes()
    assert mouth.told == [KING, FIVE]


@pytest.mark.parametrize("along", [0.1, 0.5])
def test_a_like_card_without_a_gap_may_be_the_same_and_is_asked_for(mouth: Mouth, along: float) -> None:
    mouth.comes(KING)
    mouth.card(KING, 0.8, moving=True)
    mouth.card(None, times=4, moving=True)
    mouth.card(KING, along, moving=True)
    mouth.card(KING, 0.5, times=4)
    mouth.goes()
    assert mouth.told == [Uncertain("two"), KING]


def test_two_names_in_one_picture_are_asked_for(mouth: Mouth) -> None:
    mouth.comes(KING)
    both = (IndexDetection(KING, 0.99, 0.8), IndexDetection(FIVE, 0.99, 0.2))
    mouth.events += mouth.passes.take(
        MouthObservation(mouth.now_ms + 20, Foreground("sheet", True, True, True), both)
    )
    mouth.goes()
    assert mouth.told == [Uncertain("two"), KING]


def test_another_name_after_one_that_was_not_certain_is_asked_for(mouth: Mouth) -> None:
    mouth.comes(KING, rest=1)
    mouth.card(None, times=5, moving=True)
    mouth.card(FIVE, 0.5, times=4)
    mouth.goes()
    assert mouth.told == [Uncertain("two"), FIVE]


def test_an_index_that_is_seldom_read_while_the_card_rests_is_one_card(mouth: Mouth) -> None:
    mouth.comes(KING)
    mouth.card(None, times=100)
    mouth.card(KING, 0.55, moving=True)
    mouth.card(None, times=100)
    mouth.goes()
    assert mouth.told == [KING]


def test_a_single_read_of_another_card_behind_the_first_is_asked_for(mouth: Mouth) -> None:
    mouth.comes(KING)
    mouth.card(None, times=5, moving=True)
    mouth.card(FIVE, 0.5, moving=True)
    mouth.goes()
    assert mouth.told == [Uncertain("two"), KING]


@pytest.mark.parametrize("about", ["covered", "dark", "glare"])
def test_a_mouth_that_cannot_be_seen_is_told_once_and_at_once(mouth: Mouth, about: Hidden) -> None:
    mouth.show(about, 4)
    assert mouth.told == []
    mouth.show(about, 100)
    assert mouth.told == [Uncertain(about)]
    mouth.show("empty", 3)
    mouth.comes(KING)
    mouth.goes()
    assert mouth.told == [Uncertain(about), KING]


def test_a_card_that_vanishes_under_a_hand_counts_but_is_asked_for(mouth: Mouth) -> None:
    mouth.comes(KING)
    mouth.show("covered", 12)
    mouth.show("empty", 3)
    assert mouth.told == [Uncertain("covered"), Uncertain("unclear"), KING]


def test_missing_pictures_are_told(mouth: Mouth) -> None:
    mouth.wait(100)
    mouth.show("empty", 2)
    assert mouth.told == []
    mouth.wait(400)
    mouth.show("empty", 2)
    assert mouth.told == [Uncertain("gap")]


def test_a_card_that_is_gone_after_missing_pictures_counts_but_is_asked_for(mouth: Mouth) -> None:
    mouth.comes(KING)
    mouth.wait(1000)
    mouth.show("empty", 3)
    assert mouth.told == [Uncertain("gap"), Uncertain("unclear"), KING]


def test_what_is_pushed_in_from_the_felt_and_taken_away_is_no_card(mouth: Mouth) -> None:
    for middle in (0.9, 0.8, 0.7, 0.9):
        mouth.show("sheet", at_exit=True, middle=middle)
    mouth.show("empty", 3)
    assert mouth.told == [Uncertain("unclear")]


def test_a_card_so_fast_that_it_is_first_seen_at_the_exit_counts(mouth: Mouth) -> None:
    mouth.show("sheet", at_exit=True, middle=0.7)
    mouth.show("sheet", at_exit=True, middle=0.9)
    mouth.show("empty", 3)
    assert mouth.told == [None]


def test_of_a_card_that_lay_there_at_the_start_nobody_knows_whether_it_was_counted() -> None:
    mouth = Mouth()
    mouth.card(KING, times=5)
    mouth.goes()
    assert mouth.told == [Uncertain("unclear"), KING]


def test_the_cut_card_is_told_as_such(mouth: Mouth) -> None:
    mouth.show("sheet", at_entry=True)
    mouth.show("sheet", 4, at_entry=True, at_exit=True, cut=True)
    mouth.show("sheet", at_exit=True)
    mouth.show("empty", 3)
    assert mouth.told == [CutCardLeft()]


def test_whatever_the_pictures_show_each_card_that_leaves_is_told_once() -> None:
    """Cards with random rests, reads and blur, a gap after each: as many are told as have passed."""
    chance = random.Random(4)
    for _ in range(60):
        mouth = Mouth()
        mouth.show("empty", 3)
        dealt = []
        for _ in range(8):
            name = chance.choice((KING, FIVE, CardName("A", "s")))
            mouth.comes(name, chance.uniform(0.3, 0.6), rest=chance.randrange(0, 9))
            for _ in range(chance.randrange(3)):
                mouth.card(chance.choice((name, None)), 0.7, moving=True)
            mouth.goes()
            dealt.append(name)
        left = [event for event in mouth.events if isinstance(event, CardLeft)]
        assert len(left) == len(dealt)
        assert [card.name for card in left if card.name] == [
            name for name, card in zip(dealt, left, strict=True) if card.name
        ]
        assert sum(card.name is not None for card in left) >= 4
