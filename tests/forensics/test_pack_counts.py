"""Sets of packs that are counted, and what is suspected of those that are not."""

from math import log
from pathlib import Path
from random import Random

import pytest

from controller.domain import Card
from controller.forensics import PackSets, Suspect
from controller.forensics.composition import KINDS
from tests.forensics.replays import PACK, Lines, header, replayed, script_of


def shoes(missing: int, sets: str, rounds: int = 3) -> tuple[Lines, list[str]]:
    """Shoes of these sets, each with so many cards missing; the lines, and what is left of the last one."""
    script, chance = script_of("it"), Random(8)
    gone = chance.sample(PACK * 6, missing)
    for name in sets:
        cards = PACK * 6
        for card in gone:
            cards.remove(card)
        script.load(chance.sample(cards, len(cards)), set=name)
        script.rounds(rounds)
    return script.lines, [str(card) for card in script.shoe]


def due(lines: Lines, tmp_path: Path, every: int) -> list[int]:
    """The lines at which a count was due, by their number among the shoes."""
    told = replayed(tmp_path, [header("it", table_options={"count_every": every}), *lines], "--table")
    brought = [at for at, line in enumerate(lines, 2) if line["obs"] == "shoe"]
    return [
        brought.index(line["line"]) + 1
        for line in told
        if line.get("code") == "COUNT_DUE" and line["type"] == "hold"
    ]


@pytest.mark.parametrize(
    ("sets", "every", "first"), [("AA", 1, 2), ("AAA", 2, 3), ("ABAB", 2, 4), ("AAA", 0, 0)]
)
def test_a_count_is_due_after_so_many_shoes_of_a_set(
    sets: str, every: int, first: int, tmp_path: Path
) -> None:
    assert due(shoes(0, sets)[0], tmp_path, every) == ([first] if first else [])


def test_a_house_that_counts_at_closing_closes_once_the_packs_are_counted(tmp_path: Path) -> None:
    lines, rest = shoes(0, "A")
    at = lines[-1]["t"]
    close = {"t": at + 1, "obs": "table", "state": "closed", "by": "pit:P1"}
    counted = [*lines, close, {"t": at + 2, "obs": "shoe_end", "cards": rest}]
    late = {"t": at + 3, "obs": "bet", "box": 1, "seat": 0, "stake": 1000}
    for options, codes in (
        ({"count_at_close": True}, ["COUNT_DUE", "COUNT_DUE", "TABLE_CLOSED"]),
        ({"count_at_close": False}, ["TABLE_CLOSED"]),
    ):
        told = replayed(tmp_path, [header("it", table_options=options), *counted, late], "--table")
        assert [line["code"] for line in told] == codes


def test_five_missing_cards_are_named_by_the_first_count(tmp_path: Path) -> None:
    lines, _ = shoes(5, "A", rounds=8)
    dealt = [f"{line['rank']}{line['suit']}" for line in lines if line["obs"] == "card"]
    chance = Random(8)
    gone = sorted(str(card) for card in chance.sample(PACK * 6, 5))
    rest = [str(card) for card in PACK * 6]
    for name in (*gone, *dealt):
        rest.remove(name)
    at = lines[-1]["t"]
    lines += [
        {"t": at + 1, "obs": "shoe", "decks": 6},
        {"t": at + 2, "obs": "shoe_end", "cards": rest},
        {"t": at + 3, "obs": "resume", "reason": "surveillance knows"},
        {"t": at + 4, "obs": "bet", "box": 1, "seat": 0, "stake": 1000},
    ]
    told = replayed(tmp_path, [header("it", table_options={"count_every": 1}), *lines], "--table")
    assert [(line["type"], line["code"]) for line in told] == [
        ("hold", "COUNT_DUE"),
        ("alert", "SHOE_INCOMPLETE"),
        ("hold", "SHOE_INCOMPLETE"),
        ("released", "COUNT_DUE"),
        ("released", "SHOE_INCOMPLETE"),
    ]
    assert sorted(told[1]["params"]["missing"].replace("Kc x2", "Kc, Kc").split(", ")) == gone


def test_the_rest_may_run_through_the_reader_while_the_shoe_waits(tmp_path: Path) -> None:
    lines, rest = shoes(0, "A")
    at = lines[-1]["t"]
    lines += [{"t": at + 1, "obs": "shoe", "decks": 6}, {"t": at + 2, "obs": "rest_count", "state": "begin"}]
    lines += [{"t": at + 3, "obs": "card", "rank": name[:-1], "suit": name[-1]} for name in rest]
    lines += [
        {"t": at + 4, "obs": "shoe_end"},
        {"t": at + 5, "obs": "bet", "box": 1, "seat": 0, "stake": 1000},
    ]
    told = replayed(tmp_path, [header("it", table_options={"count_every": 1}), *lines], "--table")
    assert [line["type"] for line in told] == ["hold", "released"]


def test_a_named_dealer_does_not_count_what_the_pit_has_to_release(tmp_path: Path) -> None:
    lines, rest = shoes(0, "A")
    at = lines[-1]["t"]
    lines += [
        {"t": at + 1, "obs": "shoe", "decks": 6},
        {"t": at + 2, "obs": "shoe_end", "cards": rest, "by": "dealer:4"},
        {"t": at + 3, "obs": "resume", "reason": "later", "codes": ["COUNT_DUE"]},
    ]
    told = replayed(tmp_path, [header("it", table_options={"count_every": 1}), *lines], "--table")
    assert [line.get("code") for line in told] == ["COUNT_DUE", "TABLE_HELD", "COUNT_DUE"]


def came(chance: Random, decks: int, missing: Card | None, share: float) -> tuple[int, ...]:
    """How many of each kind come out of a shuffled shoe of which this share is dealt."""
    cards = PACK * decks
    if missing is not None:
        cards.remove(missing)
    dealt = chance.sample(cards, round(share * 52 * decks))
    return tuple(dealt.count(kind) for kind in KINDS)


@pytest.mark.parametrize(("decks", "goal"), [(2, 14), (6, 57)])
def test_one_missing_card_is_suspected_sooner_than_when_it_has_never_come(decks: int, goal: int) -> None:
    chance, gone = Random(2), Card("9", "h")
    needed: list[int] = []
    for _ in range(5):
        sets, shoe = PackSets().brought("A"), 0
        found: tuple[Suspect, ...] = ()
        while not found:
            shoe += 1
            sets, found = (
                sets.dealt(decks, 52 * decks, came(chance, decks, gone, 0.75)).brought("A").suspects()
            )
        needed.append(shoe)
        assert [suspect.card for suspect in found] == [gone]
        assert found[0].odds >= 52_000
    assert sorted(needed)[2] <= goal


def test_complete_packs_are_not_suspected() -> None:
    chance, sets = Random(5), PackSets().brought("A")
    for _ in range(60):
        sets, found = sets.dealt(2, 104, came(chance, 2, None, 0.75)).brought("A").suspects()
        assert found == ()
    assert max(sets.sets[0].scores) < log(52_000)
