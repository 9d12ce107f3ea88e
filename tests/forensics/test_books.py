"""The table's books: the float from the journal alone, to the cent, and what explains that it is off."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from controller.cli.application import build
from tests.forensics.replays import PACK, Lines, header, script_of

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
            script.write({"obs": "credit", "slip": "C1", "amount": 20_000, "by": "pit:1", "second": "pit:2"})
        if number in (2, 6):
            script.write({"obs": "drop", "amount": 30_000, "kind": "cash"})
        if number == 7:
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
    at = lines[-1]["t"]
    count = {"t": at + 1, "obs": "count", "at": "close", "amount": due, "by": "pit:1", "second": "pit:2"}
    (kept,) = run(tmp_path, "books", house, [*lines, count])
    assert (kept["opening"], kept["fills"], kept["credits"], kept["drop"]) == (
        OPENING,
        50_000,
        20_000,
        60_000,
    )
    assert (kept["expected"], kept["counted"], kept["difference"]) == (due, due, 0)


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
    at = lines[-1]["t"]
    lines += [
        {"t": at + 1, **paid, "round": won[0]},
        {"t": at + 2, "obs": "count", "at": "close", "amount": due, "by": "pit:1", "second": "pit:2"},
    ]
    (kept,) = run(tmp_path, "books", "it", lines, status=1)
    assert kept["difference"] == 300
    first = kept["explanations"][0]
    assert (first["reason"], first["round"], first["amount"]) == ("paid", won[0], 300)
