"""Whole rounds played by pressing what the screen offers: the rules take it, and the money adds up."""

from collections.abc import Iterator
from random import Random

import pytest
from view_kit import after, table, view_of

from controller.acts.catalogue import Bet, CardSeen, End, ShoeLoaded
from controller.domain import RANKS, SUITS
from controller.engine.state import TableState
from controller.feed.codec import parse
from controller.screens.felt import minor_units
from controller.screens.view import Key, Prompt
from controller.screens.words import Money

pytestmark = pytest.mark.long

BY_DAY = ("nl", "spielbank")
BY_NIGHT = ("de", "fr", "it")
ROUNDS = 60
NEVER = {"CALL_PIT", "DISPUTE", "CLEAR", "RANK", "UNDO"}


def shoe(chance: Random, decks: int) -> Iterator[CardSeen]:
    cards = [CardSeen(rank, suit, by="shoe") for rank in RANKS for suit in SUITS] * decks
    chance.shuffle(cards)
    return iter(cards)


def bets(chance: Random, state: TableState) -> TableState:
    rules = state.book.rules
    step = rules.stake_step or 500
    seats = 1 + min(2, rules.back_bets if rules.back_bets >= 0 else 2)
    for box in chance.sample(range(1, rules.boxes + 1), chance.randint(1, 4)):
        for seat in range(chance.randint(1, seats)):
            stake = max(rules.stake_min, step) + 2 * step * chance.randint(0, 1)
            state = after(state, Bet(box, seat, stake))
    return state


def pressable(prompt: Prompt) -> list[Key]:
    return [key for key in prompt.bar.keys if key.enabled and key.acts and key.key not in NEVER]


def press(state: TableState, key: Key) -> TableState:
    """What the rules say to a press; `after` fails the test when they refuse it."""
    return after(state, *(parse(act.model_dump()["obs"]) for act in key.acts))


def play(chance: Random, state: TableState, cards: Iterator[CardSeen]) -> TableState:
    """Press and deal until the round is settled."""
    while True:
        view = view_of(state)
        if view.stage.startswith(("settle", "cleared")):
            return state
        assert view.prompts[0].line.code != "line.DISPUTED"
        keys = pressable(view.prompts[0])
        hits = view.prompts[0].line.code in ("line.PLAYER", "line.PLAYER_HAND") and chance.random() < 0.4
        state = after(state, next(cards)) if hits or not keys else press(state, chance.choice(keys))


def told(prompt: Prompt) -> int:
    """Minor units that the dealer is told to pay (or, negative, to take), to all bettors of the line."""
    amounts = [amount for amount in prompt.line.params.values() if isinstance(amount, Money)]
    moved = sum(minor_units(amount.money) for amount in amounts)
    verb = prompt.line.code.rstrip("_23")
    return {"line.PAY": moved, "line.TAKE": -moved}.get(verb, 0)


def settle(state: TableState) -> tuple[TableState, int]:
    """Go through the settlement as the dealer would; the sum of all moves."""
    handled: tuple[int, ...] = ()
    moved = 0
    while True:
        view = view_of(state, handled=handled)
        if view.stage.startswith("cleared"):
            return state, moved
        moved += sum(told(prompt) for prompt in view.prompts)
        *paid, done = view.prompts[-1].bar.keys[0].acts
        state = after(state, *(parse(act.model_dump()["obs"]) for act in paid))
        handled += (done.model_dump()["box"],)


def taken_at_once(state: TableState) -> int:
    result = state.settlement.result
    assert result
    parts = [part for bet in result.bets for part in bet.parts if part.outcome in ("bust", "surrender")]
    return sum(part.stake - part.returned for part in parts)


@pytest.mark.parametrize(
    "house", [*BY_DAY, *(pytest.param(house, marks=pytest.mark.night) for house in BY_NIGHT)]
)
def test_every_key_is_taken_and_every_move_adds_up(house: str) -> None:
    chance = Random(house)
    state = table(house)
    for _ in range(ROUNDS):
        cards = shoe(chance, state.book.rules.decks)
        state = after(state, ShoeLoaded(state.book.rules.decks), *_burned(state, cards))
        state = play(chance, bets(chance, state), cards)
        result = state.settlement.result
        assert result
        state, moved = settle(state)
        assert moved - taken_at_once(state) == sum(bet.returned - bet.staked for bet in result.bets)
        assert {entry[:2] for entry in state.settlement.paid} <= {(bet.box, bet.seat) for bet in result.bets}
        state = after(state, End())


def _burned(state: TableState, cards: Iterator[CardSeen]) -> list[CardSeen]:
    return [next(cards) for _ in range(state.book.rules.burn_cards)]
