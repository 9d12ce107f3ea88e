"""The table's books: the float from the journal alone, to the cent, and what explains that it is off."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from controller.cli.application import build
from tests.forensics.replays import PACK, Lines, header, replayed, script_of
from tests.own_houses import ALL_HOUSES, house_name

OPENING = 500_000


def night(house: str, rounds: int) -> Lines:
    """An opening, rounds with fills, credits and drop between them, two rulings, no closing yet."""
    script, chance = script_of(house, (1, 2, 5)), Random(house)
    packs = PACK * script.rules.decks
    script.write({"obs": "table", "state": "open"})
    script.write({"obs": "count", "at": "open", "amount": OPENING, "by": "pit:1", "second": "pit:2"})
    script.load(chance.sample(packs, len(packs)))
    for number in range(1, rounds + 1):
        if script.rules.shuffled_each_round or len(script.shoe) < 60:
            script.load(chance.sample(packs, len(packs)))
        script.round()
        if number == 3:
            script.write(
                {"obs": "fill", "slip": "F1", "chips": {"10000": 5}, "by": "pit:1", "second": "pit:2"}
            )
        if number == 4:
            # A slip that was written wrongly: void, and its number stays used.
            script.write({"obs": "fill", "slip": "F2", "amount": 7_500, "by": "pit:1", "second": "pit:2"})
            void = {"kind": "fill", "slip": "F2", "reason": "wrong amount", "by": "pit:1", "second": "pit:2"}
            script.write({"obs": "slip_void", **void})
        if number == 5:
            script.write({"obs": "dealer", "id": "D1", "at": "out"})
            script.write({"obs": "credit", "slip": "C1", "amount": 20_000, "by": "pit:1", "second": "pit:2"})
        if number in (2, 6):
            script.write({"obs": "drop", "amount": 30_000, "kind": "cash"})
        if number == 7:
            script.write({"obs": "dealer", "id": "D1", "at": "in"})
            told = {"by": "pit:1", "reason": "one chip more lay there", "round": 4}
            script.write({"obs": "amend", "what": "stake", "box": 2, "seat": 0, "stake": 1500, **told})
            script.write({"obs": "void", "box": 1, "by": "pit:1", "reason": "misdeal", "round": 6})
    return script.lines


def run(tmp_path: Path, command: str, house: str, lines: Lines, status: int = 0) -> list[dict[str, Any]]:
    """What a command prints of a feed as JSON."""
    path = tmp_path / "night.feed.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (header(house), *lines)))
    result = CliRunner().invoke(build(command), [command, "--json", str(path)])
    assert result.exit_code == status, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def closing(tmp_path: Path, house: str, lines: Lines) -> int:
    """The float as the last results of all rounds, and the slips, make it: worked out without the books."""
    told = {line["round"]: line for line in run(tmp_path, "replay", house, lines) if line["type"] == "round"}
    won = sum(bet["staked"] - bet["returned"] for line in told.values() for bet in line["bets"])
    return OPENING + 50_000 - 20_000 - 60_000 + int(won)


@pytest.mark.parametrize("rounds", [24, pytest.param(200, marks=pytest.mark.night)])
@pytest.mark.parametrize("house", ALL_HOUSES, ids=house_name)
def test_a_night_balances_to_the_cent(house: str, rounds: int, tmp_path: Path) -> None:
    lines = night(house, rounds)
    due = closing(tmp_path, house, lines)
    (kept,) = run(tmp_path, "books", house, closed(lines, due))
    assert (kept["opening"], kept["fills"], kept["credits"], kept["drop"]) == (
        OPENING,
        50_000,
        20_000,
        60_000,
    )
    assert (kept["expected"], kept["counted"], kept["difference"]) == (due, due, 0)
    # The next day finds a chip of 5.00 more than was left: it is opened with that, and with nothing else.
    again = {"obs": "count", "at": "open", "amount": due + 500, "by": "pit:1", "second": "pit:2"}
    lines = [*closed(lines, due), {"t": lines[-1]["t"] + 2, **again}]
    (kept,) = run(tmp_path, "books", house, closed(lines, due + 500))
    assert (kept["opening"], kept["expected"], kept["difference"]) == (OPENING + 500, due + 500, 0)


def closed(lines: Lines, counted: int) -> Lines:
    """The night with its closing count."""
    count = {"obs": "count", "at": "close", "amount": counted, "by": "pit:1", "second": "pit:2"}
    return [*lines, {"t": lines[-1]["t"] + 1, **count}]


SIGNED = {"by": "pit:1", "second": "pit:2"}


def day(*lines: Any, opening: int = OPENING) -> Lines:
    """An opening count of the float and what moved it, a line every ten seconds."""
    told = ({"obs": "count", "at": "open", "amount": opening, **SIGNED}, *lines)
    return [{"t": float(10 * at), **line} for at, line in enumerate(told, 1)]


def refused(tmp_path: Path, lines: Lines) -> list[tuple[int, str]]:
    """What the table's door and the plain replay refuse alike: line and code."""
    doors = [replayed(tmp_path, [header("it"), *lines], *door) for door in ((), ("--table",))]
    found = [[(one["line"], one["code"]) for one in door if one["type"] == "refused"] for door in doors]
    assert found[0] == found[1]
    return found[0]


def expected(tmp_path: Path, lines: Lines) -> dict[str, Any]:
    """The books of a feed."""
    (kept,) = run(tmp_path, "books", "it", lines)
    return kept


def test_a_drop_that_was_entered_twice_is_voided_by_its_place_or_its_number(tmp_path: Path) -> None:
    void = {"obs": "slip_void", "kind": "drop", "reason": "entered twice", "by": "pit:1"}
    drop = {"obs": "drop", "amount": 30_000, "kind": "cash"}
    twice = day(
        drop, drop, {**drop, "slip": "M 7", "kind": "marker"}, {**void, "nth": 2}, {**void, "slip": "m7"}
    )
    assert refused(tmp_path, twice) == []
    kept = expected(tmp_path, twice)
    assert (kept["drop"], kept["expected"]) == (30_000, OPENING - 30_000)
    again = day(drop, {**void, "nth": 1}, {**void, "nth": 1}, {**void, "nth": 2}, {**void, "slip": "M7"})
    assert refused(tmp_path, again) == [(5, "SLIP_NOT_OPEN"), (6, "SLIP_NOT_OPEN"), (7, "SLIP_NOT_OPEN")]
    next_day = [
        {"obs": "table", "state": "closed"},
        {"obs": "table", "state": "open"},
        drop,
        {**void, "nth": 1},
    ]
    assert expected(tmp_path, day(drop, *next_day))["drop"] == 30_000


@pytest.mark.parametrize(
    "void",
    [{"kind": "drop"}, {"kind": "fill", "nth": 1}, {"kind": "drop", "slip": "M7", "nth": 1}],
    ids=["names nothing", "a fill by its place", "both"],
)
def test_a_void_that_names_no_entry_is_malformed(void: dict[str, Any], tmp_path: Path) -> None:
    lines = [header("it"), *day({"obs": "slip_void", "reason": "why", **SIGNED, **void})]
    replayed(tmp_path, lines, status=2)


def test_one_number_of_a_slip_is_used_once_however_it_is_written(tmp_path: Path) -> None:
    fill, credit = ({"obs": kind, "amount": 10_000, **SIGNED} for kind in ("fill", "credit"))
    lines = day(
        {**fill, "slip": "F 7"}, {**fill, "slip": "f7"}, {**fill, "slip": " F7 "}, {**credit, "slip": "F7"}
    )
    assert refused(tmp_path, lines) == [(4, "SLIP_USED"), (5, "SLIP_USED")]
    void = {"obs": "slip_void", "kind": "fill", "slip": "f 7", "reason": "wrong sum", **SIGNED}
    assert expected(tmp_path, day({**fill, "slip": "F7"}, void))["fills"] == 0


def test_one_fill_entered_under_two_numbers_within_a_second_is_a_warning(tmp_path: Path) -> None:
    fill = {"obs": "fill", "amount": 10_000, **SIGNED}
    lines = day({**fill, "slip": "F1"}, {**fill, "slip": "F2"}, {**fill, "slip": "F3"})
    lines[2]["t"] = lines[1]["t"] + 0.9
    played = replayed(tmp_path, [header("it"), *lines], "--table")
    assert [(one["line"], one["code"], one["severity"]) for one in played] == [(4, "SLIP_ALIKE", "warning")]
    others = [{**line, "second": "pit:3"} if line.get("slip") == "F2" else line for line in lines]
    assert replayed(tmp_path, [header("it"), *others], "--table") == []


def test_more_than_the_float_holds_is_no_credit(tmp_path: Path) -> None:
    credit = {"obs": "credit", "slip": "C1", "amount": 10_001, **SIGNED}
    assert refused(tmp_path, day(credit, opening=10_000)) == [(3, "CREDIT_ABOVE_FLOAT")]
    assert refused(tmp_path, day({**credit, "amount": 10_000}, opening=10_000)) == []
    # Nobody has counted: what the float holds is not known.
    assert refused(tmp_path, [{"t": 1.0, **credit}]) == []


def test_a_slip_that_lay_in_the_opening_count_moves_nothing_when_it_is_voided(tmp_path: Path) -> None:
    fill = {"obs": "fill", "slip": "F1", "amount": 10_000, **SIGNED}
    void = {"obs": "slip_void", "kind": "fill", "slip": "F1", "reason": "wrong", **SIGNED}
    again = {"obs": "count", "at": "open", "amount": 400_000, **SIGNED}
    assert expected(tmp_path, day(fill, again, void))["expected"] == 400_000


def test_what_the_door_refuses_is_in_no_books(tmp_path: Path) -> None:
    fill = {"obs": "fill", "slip": "F1", "amount": 10_000, "by": "dealer:D1", "second": "pit:2"}
    kept = expected(tmp_path, day(fill))
    assert (kept["fills"], kept["expected"]) == (None, OPENING)


def test_a_difference_names_the_payout_that_makes_it_first(tmp_path: Path) -> None:
    lines = night("it", 20)
    told = run(tmp_path, "replay", "it", lines)
    won = next(
        (line["round"], bet)
        for line in told
        if line["type"] == "round" and line["round"] > 7
        for bet in line["bets"]
        if bet["net"] > 0
    )
    paid = {"obs": "paid", "box": won[1]["box"], "seat": 0, "amount": won[1]["returned"] + 300}
    due = closing(tmp_path, "it", lines)
    lines.append({"t": lines[-1]["t"] + 1, **paid, "round": won[0]})
    (kept,) = run(tmp_path, "books", "it", closed(lines, due), status=1)
    assert kept["difference"] == 300
    first = kept["explanations"][0]
    assert (first["reason"], first["round"], first["amount"]) == ("paid", won[0], 300)


@pytest.mark.parametrize("late", [False, True], ids=["before it settles", "rounds later"])
def test_a_stake_that_was_entered_one_chip_too_high_is_named_first(late: bool, tmp_path: Path) -> None:
    """The float is right, the stake is not: what it would have come to without the chip is the difference."""
    lines = night("it", 12)
    due = closing(tmp_path, "it", lines)
    nets = {
        (line["round"], bet["box"]): bet["net"]
        for line in run(tmp_path, "replay", "it", lines)
        if line["type"] == "round" and 7 < line["round"] < 11
        for bet in line["bets"]
    }
    number, box = next(place for place, net in nets.items() if abs(net) == 1000)
    ruling = {"obs": "amend", "what": "stake", "box": box, "seat": 0, "stake": 1200, "round": number}
    ends = [at for at, line in enumerate(lines) if line["obs"] == "end"]
    at = (
        len(lines)
        if late
        else 1 + next(place for place in range(ends[number - 2], len(lines)) if lines[place]["obs"] == "card")
    )
    told = {"t": lines[at - 1]["t"] + 0.5, **ruling, "by": "pit:1", "reason": "one chip more"}
    ruled = [*lines[:at], told, *lines[at:]]
    (kept,) = run(tmp_path, "books", "it", closed(ruled, due), status=1)
    assert abs(kept["difference"]) == 200
    first = kept["explanations"][0]
    assert (first["reason"], first["round"], first["amount"]) == ("ruled", number, 200)


def test_a_table_says_at_once_that_its_closing_count_differs_and_where_to_look(tmp_path: Path) -> None:
    lines = night("it", 20)
    options = {"table_options": {"float_check": True, "shuffle_watch": False}}
    due = closing(tmp_path, "it", lines)
    for off in (0, 300):
        played = replayed(tmp_path, [header("it", **options), *closed(lines, due + off)], "--table")
        told = [line for line in played if line.get("code") == "FLOAT_DIFFERS"]
        sums = [[line["params"][name] for name in ("counted", "expected", "difference")] for line in told]
        assert sums == ([[due + off, due, off]] if off else [])
    assert told[0]["params"]["rounds"]
