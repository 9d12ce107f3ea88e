"""A shoe's life beyond what a feed shows: names in the closing count, the line, and what must not leak."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Close,
    Correct,
    CutCard,
    Decision,
    HoldsLifted,
    Limits,
    Observation,
    Reveal,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    ShoeVoided,
)
from controller.domain import RANKS, SUITS, Alert, Card, Params, card_named
from controller.engine import TableState, expected, new_table, step
from controller.engine.shoe import can_load
from controller.feed.feed_lines import open_feed
from controller.feed.replay import open_script
from controller.rules import load_rules
from controller.runtime.redaction import hide_cards, redacted

PACK = [Card(rank, suit) for rank in RANKS for suit in SUITS]
ONE_PACK = {"decks": 1}
VOID = ShoeVoided("pit:P1", "a foreign card")


def seen(names: str) -> list[Observation]:
    """Cards such as `10h 9`, `9h.f` where one lies face down, `?` where nobody has read it."""
    cards: list[Observation] = []
    for name in names.split():
        card, _, face = name.partition(".")
        suit = card[-1] if card[-1] in SUITS else None
        known = card_named(None if card == "?" else card.removesuffix(suit or ""), suit)
        cards.append(CardSeen(known.rank, known.suit, face="down" if face else None))
    return cards


def burned(count: int) -> list[Observation]:
    return [CardSeen(None, to="burn") for _ in range(count)]


def after(house: str, *observations: Observation, rules: Mapping[str, object] | None = None) -> TableState:
    state = new_table(load_rules(house, rules or {}, Path()))
    for observation in observations:
        state = step(state, observation).state
    return state


def rest(*gone: str) -> tuple[Card, ...]:
    """The pack without these cards."""
    return tuple(card for card in PACK if str(card) not in gone)


def incomplete(state: TableState, *cards: Card) -> Params:
    """The parameters of the one alert about the shoe's end; () where it closes."""
    alerts = [notice for notice in step(state, ShoeEnded(cards)).notices if isinstance(notice, Alert)]
    assert [(alert.code, alert.severity) for alert in alerts] in ([], [("SHOE_INCOMPLETE", "critical")])
    return alerts[0].params if alerts else ()


def told(missing: str, extra: str, unread: int) -> Params:
    return (("missing", missing), ("extra", extra), ("unread", unread))


ROUND = [Bet(1, 0, 400), *seen("10h 9h 9c 9d.f"), Decision(1, 1, "stand"), Reveal()]
"""House spielbank, settled."""
PLAYED = after("spielbank", ShoeLoaded(1), *ROUND, rules=ONE_PACK)


def test_closing_count_names_what_is_missing_and_what_is_too_many() -> None:
    dealt = ("10h", "9h", "9c", "9d")
    assert incomplete(PLAYED, *rest(*dealt)) == ()
    assert incomplete(PLAYED, *rest(*dealt, "As", "2c")) == told("As, 2c", "-", 0)
    assert incomplete(PLAYED, *rest(*dealt), Card("9", "h"), Card("9", "h")) == told("-", "9h x2", 0)
    assert incomplete(PLAYED, *rest(*dealt, "9s"), Card("9", "h")) == told("9s", "9h", 0)


def test_closing_count_of_six_packs_counts_each_card_six_times() -> None:
    state = after("spielbank", ShoeLoaded(6), *ROUND)
    cards = list(rest("10h", "9h", "9c", "9d")) + PACK * 5
    assert incomplete(state, *cards) == ()
    cards.remove(Card("8", "c"))
    cards.remove(Card("8", "c"))
    assert incomplete(state, *cards) == told("8c x2", "-", 0)


def test_closing_count_of_a_rest_that_is_far_too_large_counts_every_card() -> None:
    many = incomplete(PLAYED, *rest("10h", "9h", "9c", "9d"), *[Card("A", "h")] * 256)
    assert many == told("-", "Ah x256", 0)


def test_closing_count_lets_unread_suits_and_cards_be_what_is_missing() -> None:
    dealt = [Bet(1, 0, 400), *seen("10h 9 9 9.f"), Decision(1, 1, "stand"), Reveal()]
    suits = after("spielbank", ShoeLoaded(1), *dealt, rules=ONE_PACK)
    assert incomplete(suits, *rest("10h", "9c", "9s", "9h")) == ()
    assert incomplete(suits, *rest("10h", "9c", "9d", "9h", "9s")) == told("9", "-", 0)
    assert incomplete(suits, *rest("10h", "9c", "9d")) == told("-", "9", 0)
    unread = after("spielbank", ShoeLoaded(1), *burned(2), rules=ONE_PACK)
    assert incomplete(unread, *rest("As", "Kd")) == ()
    assert incomplete(unread, *rest("As", "Kd", "2c")) == told("As, 2c, Kd", "-", 2)
    assert incomplete(unread, *rest("As")) == told("As", "?", 1)


def test_closing_count_of_a_shoe_without_whole_packs_counts_cards_only() -> None:
    state = after("spielbank", ShoeLoaded(1, 6), *ROUND, rules=ONE_PACK)
    assert incomplete(state, Card("2", "c"), Card("3", "c")) == ()
    assert incomplete(state, Card("2", "c")) == told("?", "-", 0)
    assert incomplete(state, *[Card("2", "c")] * 3) == told("-", "2c x2", 0)


def test_closing_count_does_not_name_the_card_that_lies_face_down() -> None:
    state = after("spielbank", ShoeLoaded(1), Bet(1, 0, 400), *seen("10h 9h 9c 9d.f"), rules=ONE_PACK)
    assert incomplete(state, *rest("10h", "9h", "9c", "9d")) == ()
    assert incomplete(state, *rest("10h", "9h", "9c", "9d", "As")) == told("? x2", "-", 1)


def test_rest_of_a_shoe_is_shown_to_no_screen() -> None:
    cards = (Card("A", "h"), Card("2", "c"))
    state = redacted(step(PLAYED, ShoeEnded(cards)).state)
    assert [fact.obs for fact in state.log if isinstance(fact.obs, ShoeEnded)] == [ShoeEnded()]
    assert hide_cards("fact", {"obs": "shoe_end", "cards": ["Ah", "2c"]}) == {"obs": "shoe_end"}


def test_correction_of_an_earlier_shoe_leaves_a_shuffled_one_alone() -> None:
    state = step(PLAYED, ShoeShuffled("all")).state
    assert incomplete(state, *PACK) == ()


@pytest.mark.parametrize(
    ("house", "observations", "code"),
    [
        ("fr", (), "NEW_SHOE"),
        ("spielbank", (), "PLACE_BETS"),
        ("fr", (ShoeLoaded(6),), "BURN"),
        ("fr", (Bet(1, 0, 400),), "PLACE_BETS"),
        ("it", (CutCard(),), "NEW_SHOE"),
        ("it", (Bet(1, 0, 400), Close(), CutCard()), "NEW_SHOE"),
        ("it", (Bet(1, 0, 400), CutCard(), HoldsLifted("pit", "one round", ("SHUFFLE_DUE",))), "PLACE_BETS"),
        ("it", (Bet(1, 0, 400), CutCard(), HoldsLifted("pit", "repaired", ("DEVICE_LOST",))), "NEW_SHOE"),
        ("it", (Bet(1, 0, 400), CutCard(), HoldsLifted("pit", "all of them")), "PLACE_BETS"),
        ("it", (Bet(1, 0, 400), *seen("10 9"), CutCard()), "DEAL_BOX"),
        ("it", (Bet(1, 0, 400), *seen("10 9"), VOID), "NEW_SHOE"),
        ("it", (Bet(1, 0, 400), *seen("10 9 9 9.f"), VOID), "PLAYER"),
        ("it", (Bet(1, 0, 400), *seen("10 6 9 9.f"), Decision(1, 1, "hit"), VOID), "NEW_SHOE"),
        ("fr", (ShoeLoaded(6, 8), *burned(5), Bet(1, 0, 400), *seen("10 9")), "DEAL_BOX"),
        ("fr", (ShoeLoaded(6, 7), *burned(5), Bet(1, 0, 400), *seen("10 9")), "NEW_SHOE"),
        ("fr", (ShoeLoaded(6, 7), *burned(5), Bet(1, 0, 400), *seen("10 9"), ShoeLoaded(6)), "DEAL_BOX"),
    ],
)
def test_line_asks_for_a_shoe_where_a_card_is_due_and_none_can_come(
    house: str, observations: tuple[Observation, ...], code: str
) -> None:
    assert expected(after(house, *observations)).code == code


def test_can_load_says_what_step_would_do() -> None:
    running = after("it", Bet(1, 0, 400), *seen("10 9"))
    assert not can_load(running, ShoeLoaded(6))
    assert can_load(step(running, VOID).state, ShoeLoaded(6))


def test_limits_are_those_of_the_round_that_a_screen_shows() -> None:
    state = after("fr", Bet(1, 0, 400), Limits(1000, 0, 500, "pit:P1"))
    assert state.book.rules.stake_min == 0
    state = after("fr", Limits(1000, 0, 500, "pit:P1"))
    assert (state.book.rules.stake_min, state.book.rules.stake_max, state.book.rules.stake_step) == (
        1000,
        0,
        500,
    )


FEEDS = sorted((Path(__file__).resolve().parent.parent / "feeds" / "shoe").glob("*.feed.jsonl"))


def same_again(state: TableState) -> list[Correct]:
    """For each open card of the round a correction that says what it was told to be."""
    return [
        Correct(fact.n, None, fact.obs.rank, fact.obs.suit, "pit:P1", "looked again")
        for fact in state.log
        if isinstance(fact.obs, CardSeen) and fact.n and fact.obs.rank is not None and fact.at is None
    ]


@pytest.mark.parametrize("feed", FEEDS, ids=lambda feed: feed.name.partition(".")[0])
def test_round_folded_again_leaves_shoe_and_book_as_they_were(feed: Path) -> None:
    with open_feed(str(feed)) as stream:
        script = open_script(stream, feed.parent)
        lines = list(script.lines)
    state = new_table(script.rules)
    for line in lines:
        state = step(state, line.obs).state
        for correction in same_again(state):
            again = step(state, correction).state
            assert replace(again.shoe, excess=state.shoe.excess) == state.shoe, line
            assert again.book == state.book, line
            assert again.settlement.status == state.settlement.status, line
