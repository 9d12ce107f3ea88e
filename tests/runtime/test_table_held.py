"""What people and devices notice of a table that is held, or whose disk cannot keep up: nothing is lost."""

import asyncio
from pathlib import Path

from controller.acts.catalogue import Bet, Correct, CutCard, Decision, DeviceSeen
from controller.ports import Report, Trouble
from controller.runtime.api import (
    Accepted,
    AlertStep,
    CallPit,
    Observe,
    Rejected,
    Resume,
)
from controller.runtime.inbox import TableLimits
from tests.runtime.runtime_kit import DEAL, ENDING, OPENING, Bench, cards, entries


def test_cards_that_leave_the_shoe_during_a_hold_are_kept_in_order(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def story() -> None:
        async with Bench(path) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL[:1])
            await bench.ask(CallPit("wait"), role="dealer")
            await bench.shoe(*DEAL[1:3], CutCard())
            assert bench.now.waiting == 3
            assert bench.now.state.shoe.seen == 1
            held = await bench.ask(Observe(Decision(1, 1, "stand")), role="dealer")
            assert held == Rejected("TABLE_HELD", (("reason", "FROZEN"),))

    async def after_restart() -> None:
        async with Bench(path) as bench:
            assert bench.now.waiting == 3
            assert [hold.code for hold in bench.now.holds] == ["FROZEN", "RESTARTED"]
            assert isinstance(await bench.ask(Resume()), Accepted)
            assert (bench.now.waiting, bench.now.holds) == (0, ())
            await bench.shoe(*DEAL[3:])
            assert bench.now.expected.code == "PLAYER"
            hand = bench.now.state.boxes[0].hands[0]
            assert [seen.obs.rank for seen in hand.cards] == ["10", "7"]

    asyncio.run(story())
    asyncio.run(after_restart())


def test_a_lost_shoe_holds_the_table_and_coming_back_does_not_resume_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.shoe(DeviceSeen("shoe", "live"))
            await bench.say(*OPENING)
            await bench.shoe(DeviceSeen("shoe", "lost"))
            assert [hold.code for hold in bench.now.holds] == ["DEVICE_LOST"]
            assert [alert.code for alert in bench.now.alerts] == ["DEVICE_LOST"]
            assert await bench.ask(Resume()) == Rejected("DEVICE_STILL_LOST", (("name", "shoe"),))
            await bench.shoe(DeviceSeen("shoe", "live"))
            assert [hold.code for hold in bench.now.holds] == ["DEVICE_LOST"]
            assert isinstance(await bench.ask(Resume(), role="dealer"), Accepted)
            assert bench.now.holds == ()

    asyncio.run(story())


def test_the_pit_may_go_on_without_a_lost_shoe_and_enter_cards_by_hand(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(*OPENING)
            await bench.shoe(DeviceSeen("shoe", "lost"))
            assert isinstance(await bench.ask(Resume(without=("shoe",))), Accepted)
            await bench.say(*(card._replace(by="pit") for card in DEAL))
            assert bench.now.expected.code == "PLAYER"

    asyncio.run(story())


def test_a_shoe_that_cannot_vouch_for_its_cards_holds_once_and_alerts_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            gap = Report("shoe", 0, (), (Trouble("SHOE_GAP", (("lost", "1"),)),))
            bench.table.post(gap)
            bench.table.post(gap)
            await bench.until(lambda: bool(bench.now.holds))
            await bench.ask(CallPit())
            assert [hold.code for hold in bench.now.holds] == ["SHOE_GAP", "FROZEN"]
            alerts = bench.now.alerts
            assert [(alert.code, alert.severity, alert.status) for alert in alerts] == [
                ("SHOE_GAP", "critical", "open")
            ]
            assert await bench.ask(Resume(), role="dealer") == Rejected("NOT_ALLOWED", (("role", "dealer"),))
            await bench.ask(AlertStep(alerts[0].alert, "ack"))
            assert bench.now.alerts[0].status == "acked"
            assert bench.now.alerts[0].by == "pit:p7"
            await bench.ask(AlertStep(alerts[0].alert, "resolve", "cards counted"))
            assert bench.now.alerts == ()

    asyncio.run(story())


def test_a_correction_is_possible_during_a_hold_and_pays_the_difference(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)
            await bench.say(*ENDING)
            await bench.ask(CallPit())
            await bench.say(Correct(1, None, "9", "s", "p7", "misread"))
            assert bench.now.result is not None
            assert bench.now.result.bets[0].returned == 0

    asyncio.run(story())
    kinds = [entry.kind for entry in entries(tmp_path / "t.journal")]
    assert kinds[-2:] == ["adjusted", "settled"]


def test_a_full_disk_holds_the_table_and_nothing_that_the_shoe_said_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def story() -> None:
        async with Bench(path) as bench:
            await bench.say(*OPENING)
            connection = bench.journal._connection
            room = connection.pragma("max_page_count")
            connection.pragma("max_page_count", 1)
            # Rows still fit into the last page; a long note needs a new one.
            full = await bench.ask(CallPit("x" * 6000))
            assert full == Rejected("TABLE_HELD", (("reason", "JOURNAL_DISK_FULL"),))
            assert [hold.code for hold in bench.now.holds] == ["JOURNAL_DISK_FULL"]
            for card in DEAL[:2]:
                bench.table.post(Report("shoe", 0, (card,)))
            await bench.until(lambda: bench.now.waiting == 2)
            refused = await bench.ask(Observe(Bet(2, 0, 1000)))
            assert refused == Rejected("TABLE_HELD", (("reason", "JOURNAL_DISK_FULL"),))
            connection.pragma("max_page_count", room)
            assert isinstance(await bench.ask(Resume()), Accepted)
            assert (bench.now.waiting, bench.now.holds) == (0, ())
            assert bench.now.state.shoe.seen == 2

    asyncio.run(story())
    assert "held" in [entry.kind for entry in entries(path)]


def test_a_slow_disk_holds_before_the_next_card(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal", limits=TableLimits(journal_slow_ms=-1)) as bench:
            await bench.say(Bet(1, 0, 1000))
            await bench.until(lambda: bool(bench.now.holds))
            assert [hold.code for hold in bench.now.holds] == ["JOURNAL_SLOW"]
            assert isinstance(await bench.ask(Resume(), role="dealer"), Accepted)

    asyncio.run(story())


def test_more_reports_than_fit_are_a_hold_and_counted(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal", limits=TableLimits(60_000, inbox=3)) as bench:
            await bench.say(*OPENING)
            for card in cards(*"23456789"):
                bench.table.post(Report("shoe", 0, (card,)))
            await bench.until(lambda: bool(bench.now.holds))
            hold = bench.now.holds[0]
            assert hold.code == "INBOX_OVERFLOW"
            lost = dict(hold.params)["lost"]
            assert isinstance(lost, int)
            assert bench.now.state.shoe.seen + bench.now.waiting + lost == 8

    asyncio.run(story())


def test_what_does_not_fit_while_the_disk_is_full_is_counted_too(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal", limits=TableLimits(60_000, inbox=3)) as bench:
            await bench.say(*OPENING)
            connection = bench.journal._connection
            room = connection.pragma("max_page_count")
            connection.pragma("max_page_count", 1)
            await bench.ask(CallPit("x" * 6000))
            for card in cards(*"23456"):
                bench.table.post(Report("shoe", 0, (card,)))
                await asyncio.sleep(0)
            await bench.until(lambda: bench.now.waiting == 3)
            connection.pragma("max_page_count", room)
            await bench.ask(Resume())
            assert bench.now.holds[-1].code == "INBOX_OVERFLOW"
            lost = dict(bench.now.holds[-1].params)["lost"]
            assert isinstance(lost, int)
            assert lost > 0
            assert bench.now.state.shoe.seen + bench.now.waiting + lost == 5

    asyncio.run(story())
