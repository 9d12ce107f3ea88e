"""Rated bettors: what they staked, what rules and play let expect of it, and names that leave no trace."""

import json
from pathlib import Path

from typer.testing import CliRunner

from controller.analyser import analyse
from controller.cli.application import build
from controller.cli.journal.guests import app
from controller.rules import load_rules
from tests.forensics.replays import Lines, header

"""One process works out the house edge, which takes seconds."""


def hand(t: float, stake: int, action: str) -> Lines:
    """16 against a ten at box 2; the dealer turns a nine."""
    cards = [{"obs": "card", "rank": rank, "suit": "s", "p": 1.0} for rank in ("10", "K", "6", "9")]
    drawn = [{"obs": "card", "rank": "2", "suit": "h", "p": 1.0}] if action == "hit" else []
    lines: Lines = [
        {"obs": "bet", "box": 2, "seat": 0, "stake": stake},
        *cards,
        {"obs": "decision", "box": 2, "hand": 1, "action": action},
        *drawn,
        *([{"obs": "decision", "box": 2, "hand": 1, "action": "stand"}] if drawn else []),
        {"obs": "reveal"},
        {"obs": "end"},
    ]
    return [{"t": t + 5.0 * at, **line} for at, line in enumerate(lines)]


def guests(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_rated_bettor_is_worth_what_rules_and_play_say_and_is_nobody_once_erased(tmp_path: Path) -> None:
    names, feed = tmp_path / "names.json", tmp_path / "a.feed.jsonl"
    guest = guests("name", str(names), "Ada L.").strip()
    rated = {"obs": "rating", "box": 2, "seat": 0, "by": "pit:1"}
    lines: Lines = [
        *hand(0, 400, "stand"),
        {"t": 50, **rated, "guest": guest},
        *hand(60, 200, "hit"),
        *hand(200, 600, "stand"),
        {"t": 300, **rated},
        *hand(310, 800, "stand"),
    ]
    feed.write_text("".join(json.dumps(line) + "\n" for line in (header("nl"), *lines)))
    (row,) = json.loads(guests("rate", str(feed), "--json"))["ratings"]
    assert (row["guest"], row["name"], row["rounds"], row["opened"], row["average"]) == (
        guest,
        "",
        2,
        800,
        400,
    )
    # 18 and 16 lose to 19.
    assert row["won"] == 800
    analysis = analyse(load_rules("nl", {}, Path()))
    plays = next(one.plays for one in analysis.deals if sorted(one.cards) == [6, 10] and one.up == 10)
    best, edge = max(plays.values()), analysis.edge_percent / 100
    cost = 200 * (best - plays["hit"]) + 600 * (best - plays["stand"])
    assert (row["expected"], row["by_play"]) == (round(800 * edge), round(800 * edge + cost))
    assert row["by_play"] > row["expected"]
    assert f"{guest} Ada L.: 2 rounds" in guests("rate", str(feed), "--names", str(names))
    assert names.stat().st_mode & 0o777 == 0o600
    guests("erase", str(names), guest)
    assert "Ada" not in guests("rate", str(feed), "--names", str(names)) + names.read_text()
    done = CliRunner().invoke(build("guests"), ["guests", "erase", str(names), guest])
    assert getattr(done.exception, "code", "") == "GUEST_UNKNOWN"
