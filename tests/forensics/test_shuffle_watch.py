"""The shuffle watch beside a plain search through every place, and as a user of the feed meets it."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.forensics import STRUCK, UNKNOWN, Watch, code_of
from controller.forensics.order import ALIKE, CARDS, SUITED
from controller.rules import HOUSES
from tests.forensics.replays import PACK, Lines, all_printed, header, replayed, script_of
from tests.forensics.written_feed import WrittenFeed


def longest(present: str, source: str, end: int) -> tuple[int, int]:
    """The longest run that ends with the last card of `present` at place `end` of `source`: cards, suited."""
    cards = suited = 0
    here, there = len(present) - 1, end
    best = (0, 0)
    while here >= 0 and there >= 0:
        one, other = present[here], source[there]
        if UNKNOWN not in (one, other):
            if other not in ALIKE[one]:
                break
            cards, suited = cards + 1, suited + (one in SUITED and other in SUITED)
            best = (cards, suited)
        here, there = here - 1, there - 1
    return best


def sources(shoes: list[tuple[str, str]], present: str) -> list[tuple[int, int, str, int]]:
    """Every source as (preference, shoe, order, places that may be compared)."""
    found = []
    for number, (dealt, picked) in enumerate(shoes, 1):
        found.append((1, number, dealt, len(dealt)))
        found += [(2, number, order, len(order)) for order in (picked, picked[::-1])]
    return [*found, (3, 0, present, len(present) - 1)]


def searched(shoes: list[tuple[str, str]], present: str) -> tuple[int, int, int] | None:
    """The run to report at the last card: preference, cards, shoe."""
    suspects = []
    for preference, number, order, places in sources(shoes, present):
        for end in range(places):
            if order[end] == UNKNOWN or present[-1] == UNKNOWN:
                continue
            cards, suited = longest(present, order, end)
            if suited >= 12 or cards >= 16:
                suspects.append((preference, -cards, -number))
    if not suspects:
        return None
    preference, cards, number = min(suspects)
    return preference, -cards, -number


def some_order(chance: Random, shoes: list[tuple[str, str]]) -> str:
    """Cards that now and then go on as they once did, some of them unknown or without a suit."""
    out = ""
    while len(out) < 70:
        out += "".join(code_of(*chance.choice(PACK)) for _ in range(chance.randrange(1, 9)))
        source = chance.choice([order for pair in shoes for order in (*pair, pair[1][::-1])] + [out])
        at = chance.randrange(max(1, len(source) - 20))
        out += source[at : at + chance.randrange(8, 24)]
    return "".join(noisy(chance, code) for code in out)


def noisy(chance: Random, code: str) -> str:
    """The card, now and then unknown or without its suit."""
    what = chance.random()
    if what < 0.05 and code in CARDS:
        return code_of(CARDS[code].rank, None)
    return UNKNOWN if what > 0.93 else code


@pytest.mark.parametrize("seed", range(16))
def test_it_finds_what_a_search_through_every_place_finds(seed: int) -> None:
    chance = Random(seed)
    shoes: list[tuple[str, str]] = []
    watch = Watch().next_shoe(told=True, loaded=True)
    reported = 0
    for _ in range(4):
        present = some_order(chance, shoes)
        stretches: list[tuple[int, int, int]] = []
        for at, code in enumerate(present):
            watch, run = watch.card(code).suspect()
            found = searched(shoes, present[: at + 1])
            if run is not None:
                assert found == (
                    ("makers", "shoe", "discards", "itself").index(run.repeats),
                    run.cards,
                    run.shoe,
                )
                stretches.append((found[0], run.start, at))
                reported += 1
            elif found is not None:
                # Reported already: a stretch of the same kind that it overlaps or goes on from.
                assert any(kind == found[0] for kind, _, _ in stretches)
        picked = "".join(chance.sample(present, len(present)))
        watch = watch.pick_up(picked).next_shoe(told=True, loaded=True)
        shoes.append((present, picked))
    assert reported


def test_a_new_pack_is_known_in_both_directions_and_over_its_suits() -> None:
    for cards in (PACK[9:23], PACK[20:6:-1]):
        watch = Watch().next_shoe(told=True, loaded=True)
        found = []
        for card in cards:
            watch, run = watch.card(code_of(*card)).suspect()
            found += [] if run is None else [run]
        assert [(run.repeats, run.end, run.cards) for run in found] == [("makers", 11, 12)]


def test_a_struck_card_breaks_nothing_whether_or_not_it_was_in_the_shoe() -> None:
    chance = Random(3)
    order = "".join(code_of(*card) for card in chance.sample(PACK, 40))
    for again in (order[:8] + STRUCK + order[8:20], order[:8] + STRUCK + order[9:20]):
        watch = Watch().next_shoe(told=True, loaded=True)
        for code in order:
            watch = watch.card(code)
        watch = watch.next_shoe(told=True, loaded=True)
        found = []
        for code in again:
            watch, run = watch.card(code).suspect()
            found += [] if run is None else [run.cards]
        assert found == [12]


def two_shoes(house: str, kind: str, seed: int) -> WrittenFeed:
    """A shuffled shoe, and one after it that was not."""
    script, chance = script_of(house), Random(seed)
    packs = PACK * script.rules.decks
    first = chance.sample(packs, len(packs))
    script.load(first)
    script.rounds(1 if script.rules.shuffled_each_round else 12)
    rest = script.shoe[::-1]
    orders = {
        "shoe": first,
        "makers": packs,
        "discards": script.rack + rest,
        "clean": chance.sample(packs, len(packs)),
    }
    script.load(orders[kind])
    script.rounds(1 if script.rules.shuffled_each_round else 6)
    return script


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("kind", ["shoe", "makers", "discards", "clean"])
def test_a_shoe_that_was_not_shuffled_is_reported_at_its_twelfth_card(
    house: str, kind: str, tmp_path: Path
) -> None:
    lines = two_shoes(house, kind, seed=4).lines
    told = replayed(tmp_path, [header(house, table_options={}), *lines])
    alerts = [line for line in told if line["type"] == "alert"]
    if kind == "clean":
        assert told == []
        return
    (alert,) = alerts
    assert alert["code"] == "SHUFFLE_SUSPECT"
    assert alert["severity"] == "critical"
    assert alert["params"] == {"repeats": kind, "shoe": 0 if kind == "makers" else 1, "cards": 12}
    assert replayed(tmp_path, [header(house), *lines]) == []
    quiet = header(house, table_options={"shuffle_watch": False})
    assert replayed(tmp_path, [quiet, *lines]) == []


def test_strict_replay_fails_and_nothing_is_disputed(tmp_path: Path) -> None:
    lines = [header("it", table_options={}), *two_shoes("it", "shoe", 1).lines]
    told = replayed(tmp_path, lines, "--strict", status=1)
    assert [line["type"] for line in told] == ["alert"]


def held_at(told: Lines) -> int:
    """The index of the line at which the table was held, without the header."""
    return next(int(line["line"]) for line in told if line["type"] == "hold") - 2


@pytest.mark.parametrize("way", ["keep", "shuffle", "shoe_void", "void_round"])
def test_the_table_holds_until_the_pit_decides_and_stays_quiet_once_it_has(way: str, tmp_path: Path) -> None:
    lines = two_shoes("it", "shoe", 1).lines
    top = header("it", table_options={})
    at = held_at(replayed(tmp_path, [top, *lines], "--table"))
    rulings: dict[str, dict[str, Any]] = {
        "keep": {"obs": "resume", "reason": "dealt on", "codes": ["SHUFFLE_SUSPECT"]},
        "shuffle": {"obs": "shuffle", "cards": "all", "by": "pit:7"},
        "shoe_void": {"obs": "shoe_void", "by": "pit:7", "reason": "not shuffled"},
        "void_round": {"obs": "void", "by": "pit:7", "reason": "not shuffled"},
    }
    ruled = [top, *lines[: at + 1], {"t": lines[at]["t"] + 0.5, **rulings[way]}, *lines[at + 1 :]]
    told = replayed(tmp_path, ruled, "--table")
    (hold, *_) = [line for line in told if line["type"] == "hold"]
    assert (hold["release"], hold["ways"]) == ("pit", ["shoe_void", "shuffle", "keep"])
    released = [line for line in told if line["type"] == "released" and line["code"] == "SHUFFLE_SUSPECT"]
    assert len(released) == (way != "void_round")
    if way == "keep":
        assert [line["type"] for line in told] == ["alert", "hold", "released"]


@pytest.mark.parametrize(
    ("house", "seed", "last"), [("nl", 40, "card"), ("fr", 3, "card"), ("de", 12, "reveal")]
)
def test_a_round_whose_last_card_is_reported_settles_after_the_ruling_and_not_before(
    house: str, seed: int, last: str, tmp_path: Path
) -> None:
    """The seeds are those at which the twelfth card that repeats is also the last one of its round."""
    script, chance = script_of(house, (1, 2)), Random(seed)
    packs = PACK * script.rules.decks
    order = chance.sample(packs, len(packs))
    for _ in range(2):
        script.load(order)
        script.rounds(1 if script.rules.shuffled_each_round else 6)
    top = header(house, table_options={})
    at = held_at(replayed(tmp_path, [top, *script.lines], "--table"))
    upto, after = script.lines[: at + 1], script.lines[at + 1]
    assert (upto[-1]["obs"], after["obs"]) == (last, "end")
    keep = {"t": after["t"], "obs": "resume", "reason": "counted", "codes": ["SHUFFLE_SUSPECT"]}
    printed = all_printed(tmp_path, [top, *upto, keep, after], "--table")
    alert = next(line for line in printed if line["type"] == "alert")
    about = [line for line in printed if line["type"] != "summary" and line.get("round", 0) == alert["round"]]
    kinds = [(line["type"], line.get("status")) for line in printed[printed.index(alert) : -1]]
    assert kinds == [("alert", None), ("hold", None), ("released", None), ("round", "settled")]
    assert [line["type"] for line in about] == ["alert", "round"]
    unruled = all_printed(tmp_path, [top, *upto, after], "--table")
    assert [line["status"] for line in unruled if line.get("round") == alert["round"] and "bets" in line] == [
        "open"
    ]


def test_a_hole_card_counts_when_it_is_turned_and_changes_nothing_before(tmp_path: Path) -> None:
    """Pairs of feeds that differ in a face-down card alone say the same until it is turned."""
    script = two_shoes("de", "shoe", 2)
    top = header("de", table_options={})
    second = max(at for at, line in enumerate(script.lines) if line["obs"] == "shoe")
    turned = [at for at, line in enumerate(script.lines) if line["obs"] == "reveal" and at > second]
    for at in turned[:3]:
        cards = [place for place, line in enumerate(script.lines[:at]) if line["obs"] == "card"]
        begun = max(place for place, line in enumerate(script.lines[:at]) if line["obs"] == "bet")
        hole = [place for place in cards if place > begun][len(script.boxes)]
        other = [dict(line) for line in script.lines]
        other[hole].update(rank="5" if other[hole]["rank"] != "5" else "6")
        said = [replayed(tmp_path, [top, *lines[:at]]) for lines in (script.lines, other)]
        assert said[0] == said[1]
