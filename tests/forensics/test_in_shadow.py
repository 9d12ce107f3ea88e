"""A table in shadow: it never waits, asks or locks, and its report says what it would have stopped."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller.acts.catalogue import Bet, CardSeen, Decision, End, Paid, Reveal, Void
from controller.domain import ConfigError, Rank, Suit
from controller.feed.feed_lines import open_feed
from controller.feed.feed_table import FeedTable, open_table_script, plainly
from controller.policy import House, new_run
from controller.policy.run import Held, Released
from controller.ports import Report
from controller.runtime.api import Accepted, CallPit
from drivers.simulated import PtyShoe
from tests.forensics.test_report import call
from tests.main.live_kit import Live, play
from tests.runtime.runtime_kit import entries

"""One process works out the house edge, which takes seconds."""

FAULTS = sorted((Path(__file__).resolve().parent.parent / "feeds" / "faults").glob("*/*.feed.jsonl"))


def test_every_fault_of_every_house_is_noted_and_nothing_waits_for_it() -> None:
    noted = set()
    for path in FAULTS:
        with open_feed(str(path)) as stream:
            script = open_table_script(stream, path.parent)
            house = House(script.house.profile, script.house.options._replace(mode="shadow"))
            table = FeedTable(house, new_run(house, script.rules))
            for one in plainly(table, script.lines):
                assert (one.holds, one.waiting) == ((), 0), (path.name, one.line)
                told = [notice for played in one.played for notice in played.notices]
                held = [notice.hold for notice in told if isinstance(notice, Held)]
                assert held == [notice.hold for notice in told if isinstance(notice, Released)]
                noted |= {hold.code for hold in held}
    assert len(noted) > 25


def card(rank: Rank, suit: Suit) -> CardSeen:
    return CardSeen(rank, suit, by="hand")


def dealt(suit: Suit) -> list[CardSeen]:
    """18 against 17."""
    return [card("10", suit), card("9", suit), card("8", suit), card("8", suit)]


async def night(live: Live) -> None:
    """Three rounds: the dealer draws on 17, pays as settled in spite of a late chip, and overpays."""
    await live.say(Bet(1, 0, 1000), *dealt("s"), Decision(1, 1, "stand"), Reveal())
    live.table.post(Report("shoe", 0, (CardSeen("2", "d", by="shoe"),)))
    await live.until(lambda: "DEALER_DREW_ON_17" in live.alerts)
    # Nobody rules: the felt goes on with the next bet.
    await live.say(Bet(1, 0, 2000), card("10", "h"))
    live.table.post(Report("shoe", 0, (Bet(1, 0, 3000),)))
    await live.until(lambda: "STAKE_CHANGED" in live.alerts)
    await live.say(*dealt("h")[1:], Decision(1, 1, "stand"), Reveal(), Paid(1, 0, 4000), End())
    await live.say(Bet(1, 0, 1000), *dealt("c"), Decision(1, 1, "stand"), Reveal(), Paid(1, 0, 2500), End())
    await live.say(Void(None, "pit:p7", "dealt from the wrong shoe", 1))
    assert isinstance(await live.ask(CallPit("look at box 1")), Accepted)
    assert live.holds == []


def test_a_night_in_shadow_goes_on_over_everything_and_is_judged_in_the_morning(tmp_path: Path) -> None:
    shoe = PtyShoe()
    in_shadow = {"options": {"mode": "shadow"}}
    wired = {"port": shoe.port, "commands": True, "lock_while_held": True}
    try:
        play(tmp_path, night, wired, table=in_shadow)
        with pytest.raises(ConfigError, match="OTHER_TABLE"):
            # Opened in shadow, a journal is none of a table that has to stop.
            play(tmp_path, night, wired)
        play(tmp_path, quiet, wired, table=in_shadow)
    finally:
        shoe.close()
    journal = tmp_path / "table.journal"
    assert not [entry for entry in entries(journal) if entry.kind in ("ordered", "resumed")]
    assert call("verify", journal)[0] == 0
    out = tmp_path / "night.json"
    assert call("report", journal, "-o", out)[0] == 0
    report = json.loads(out.read_text())["report"]
    assert report["mode"] == "shadow"
    judged = {hold["code"]: hold["was_right"] for hold in report["holds"]}
    assert judged == {
        "DEALER_DREW_ON_17": "right",
        "STAKE_CHANGED": "wrong",
        "WRONG_PAYOUT": "right",
        "FROZEN_BY_PIT": "open",
        "RESTARTED": "open",
    }
    assert "Stops there would have been: 5; right 2, wrong 1, open 2." in call("report", journal)[1]
    replayed = json.loads(call("replay", "--json", journal)[1].splitlines()[-1])
    assert (replayed["rounds"], replayed["disputed"], replayed["voided"]) == (3, 0, 1)


async def quiet(live: Live) -> None:
    """A table that comes back in shadow waits for nobody."""
    assert live.holds == []


@pytest.mark.night
def test_one_command_leads_from_a_few_answers_to_the_nights_report(tmp_path: Path) -> None:
    shoe = PtyShoe()
    config, out = tmp_path / "table.toml", tmp_path / "night.json"
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"shoe.port": shoe.port, "web.port": "0"}))
    program = "from controller.cli import main; main()"
    command = [sys.executable, "-c", program, "shadow", config.name, "-o", out.name]
    try:
        first = subprocess.run(
            [*command, "--answers", answers.name],
            cwd=tmp_path,
            input="271828\n",
            text=True,
            capture_output=True,
            check=False,
        )
        # Nobody has released the program that is tested, and that is refused; the rest of the night is not.
        assert "allow_unreleased" in first.stderr, first
        config.write_text(config.read_text() + "\n[software]\nallow_unreleased = true\n")
        table = subprocess.Popen(command, cwd=tmp_path, text=True, stdout=subprocess.PIPE)
        assert table.stdout is not None
        assert "http" in table.stdout.readline()
        table.send_signal(signal.SIGINT)
        said = table.communicate(timeout=60)[0]
    finally:
        shoe.close()
    assert json.loads(out.read_text())["report"]["mode"] == "shadow"
    assert "night.json" in said
