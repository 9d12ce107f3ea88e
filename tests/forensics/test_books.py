"""The table's books: the float from the journal alone, to the cent, and what explains that it is off."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from controller.cli.application import build
from tests.forensics.replays import PACK, Lines, header, replayed, script_of

HOUSES = ("nl", "de", "spielbank", "fr", "it")
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
@pytest.mark.parametrize("house", HOUSES)
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
