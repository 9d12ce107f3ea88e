"""Random tables: whatever hands do and however a reader errs now and then, no wrong card is ever certain."""

import itertools
from random import Random

import pytest

from tests.vision.tracking.stage_kit import CARD, HEIGHT, WIDTH, Lay, Stage, names
from vision.reading import RANKS, SUITS, ReadCard
from vision.tracking import TrackedScene
from vision.tracking.track import Appeared, Gone

ERRORS = 0.15
"""Share of reads that name another card; as many miss the card, and as many leave its suit open."""

STAKES = list(itertools.product(range(20, WIDTH - 90, 90), (20, 110)))
"""Where hands of cards begin."""


class Dealer:
    """Deals, pushes, turns across, covers with a hand, clears; one thing at a time, chosen by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.stage = Stage(seed, noise=2.0)
        self.stage.reader.err = self.err
        self.ever: set[str] = set()

    def err(self, card: ReadCard, _: int) -> ReadCard | None:
        roll = self.chance.random()
        if card.face == "down" or roll > 3 * ERRORS:
            return card
        if roll > 2 * ERRORS:
            return card._replace(suit=None)
        if roll > ERRORS:
            return None
        return card._replace(rank=self.chance.choice(RANKS), suit=self.chance.choice(SUITS))

    def deal(self) -> None:
        lays, chance = self.stage.lays, self.chance
        x, y = chance.choice(STAKES)
        there = [lay for lay in lays if abs(lay.x - x) < 60 and abs(lay.y - y) < 60]
        if len(there) > 3:
            return
        step = len(there)
        place = (x + 11 * step + chance.randint(-1, 1), y + 12 - 4 * step + chance.randint(-1, 1))
        name = chance.choice(RANKS) + chance.choice(SUITS)
        self.ever |= {name, name[:-1]}
        lays.append(Lay(name, *place, across=chance.random() < 0.1))

    def push(self) -> None:
        if self.stage.lays:
            lay = self.chance.choice(self.stage.lays)
            x = min(max(lay.x + self.chance.randint(-8, 8), 2), WIDTH - CARD[1] - 2)
            y = min(max(lay.y + self.chance.randint(-8, 8), 2), HEIGHT - CARD[1] - 2)
            self.stage.lays[self.stage.lays.index(lay)] = lay._replace(x=x, y=y)

    def wave(self) -> None:
        self.stage.hands = [(self.chance.randrange(WIDTH), self.chance.randrange(HEIGHT), 30)]

    def leave(self) -> None:
        self.stage.hands = []

    def clear(self) -> None:
        self.stage.lays, self.stage.hands = [], []

    def act(self) -> TrackedScene:
        act = self.chance.choices((self.deal, self.push, self.wave, self.leave, self.clear), (9, 4, 3, 3, 1))[
            0
        ]
        act()
        return self.stage.run(self.chance.choice((66, 200, 400)))


@pytest.mark.parametrize("seed", range(4))
def test_no_wrong_card_is_ever_certain(seed: int) -> None:
    dealer = Dealer(seed)
    for _ in range(14):
        scene = dealer.act()
        assert set(names(scene).values()) <= dealer.ever
    dealer.leave()
    scene = dealer.stage.run(1300)
    assert set(names(scene).values()) <= dealer.ever


@pytest.mark.parametrize("seed", range(4, 7))
def test_after_all_hands_have_left_what_lies_there_is_known_and_nothing_else(seed: int) -> None:
    dealer = Dealer(seed)
    for _ in range(8):
        dealer.deal()
        dealer.stage.run(dealer.chance.choice((66, 200)))
    dealer.wave()
    dealer.stage.run(300)
    dealer.leave()
    dealer.stage.reader.err = lambda card, _: card
    scene = dealer.stage.run(6000, step_ms=100)
    assert sorted(names(scene).values()) == sorted(lay.name for lay in dealer.stage.lays)
    dealer.clear()
    scene = dealer.stage.run(2600)
    assert (scene.tracks, scene.unclear) == ((), ())
    assert len(dealer.stage.told(Gone)) == len(dealer.stage.told(Appeared))


@pytest.mark.parametrize("seed", range(3))
def test_a_table_that_is_laid_anew_between_two_pictures_shows_the_new_cards_only(seed: int) -> None:
    chance, stage = Random(seed), Stage(seed)
    stage.run(200)
    for _ in range(6):
        stage.lays = [
            Lay(chance.choice("23456789") + chance.choice("hd"), 20 + 120 * box + 10 * place, 90 - 3 * place)
            for box in range(3)
            for place in range(chance.choice((0, 2, 2, 3, 4, 5)))
        ]
        scene = stage.run(700)
        known = names(scene)
        seen = sorted(known[track.track] for track in scene.tracks if track.state == "seen")
        assert seen == sorted(lay.name for lay in stage.lays)
