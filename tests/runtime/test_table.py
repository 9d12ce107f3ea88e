"""What people and devices notice of a running table: durable before visible, holds, nothing lost."""

import asyncio
from pathlib import Path

import pytest

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Close,
    Correct,
    Decision,
    DeviceSeen,
    End,
    HoldsLifted,
    Reveal,
)
from controller.journal.store import JournalReader
from controller.policy import House
from controller.rules import load_file
from controller.runtime.api import (
    Accepted,
    AlertStep,
    Autoplay,
    BoxHandled,
    CallPit,
    Observe,
    Rejected,
    Resume,
)
from controller.runtime.ledger import Ledger
from controller.runtime.restore import restore
from tests.runtime.runtime_kit import DEAL, ENDING, IDENTITY, OPENING, Bench, cards, entries

PROFILED = IDENTITY._replace(house=House(load_file("spielbank", Path()).irregularities))


def test_a_round_from_bet_to_settlement_is_shown_and_journalled(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)
            assert bench.now.expected == ("PLAYER", (("box", 1), ("hand", 1), ("total", 17)))
            await bench.say(*ENDING)
            assert bench.now.result is not None
            assert bench.now.result.bets[0].returned == 1000
            assert isinstance(await bench.ask(BoxHandled(1, 1)), Accepted)
            assert bench.now.pay.handled == (1,)
            assert await bench.ask(BoxHandled(1, 1)) == Rejected("BOX_HANDLED", (("box", 1),))

    asyncio.run(story())
    kinds = [entry.kind for entry in entries(tmp_path / "t.journal")]
    assert kinds == ["opened", "started", *["fact"] * 8, "settled", "handled"]


def test_what_a_screen_sees_is_already_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def story() -> None:
        async with Bench(path) as bench:

            async def screen() -> None:
                async for seq, _ in bench.table.hub.subscribe():
                    assert entries(path)[-1].seq >= seq
                    seen.append(seq)

            seen: list[int] = []
            watching = asyncio.create_task(screen())
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)
            await bench.until(lambda: bool(seen) and seen[-1] == bench.now.seq)
            watching.cancel()

    asyncio.run(story())


def test_nobody_sees_the_face_down_card_before_it_is_turned(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(*OPENING)
            await bench.shoe(*cards("10", "9", "7"), CardSeen("4", "h", by="shoe", id="shoe.x.4"))
            told = repr(bench.now._replace(rules=bench.now.rules))
            assert "'4'" not in told
            assert "'h'" not in told
            hidden = [line for line in await bench.table.audit(1, 500) if '"4"' in line.body]
            assert hidden == []
            await bench.say(*ENDING)
            assert [seen.obs.rank for seen in bench.now.state.dealer.cards] == ["9", "4"]

    asyncio.run(story())


def test_the_same_press_sent_twice_counts_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            press = Observe(Bet(1, 0, 1000))
            first = await bench.ask(press, command_id="same")
            await bench.say(Bet(1, 0, 2000))
            assert await bench.ask(press, command_id="same") == first
            assert bench.now.state.boxes[0].bets == ((0, 2000),)

    asyncio.run(story())


def test_a_press_that_only_stops_the_table_counts_once(tmp_path: Path) -> None:
    """The dealer clears too early; his screen sends that again when the pit has lifted the hold."""

    async def story() -> None:
        async with Bench(tmp_path / "t.journal", identity=PROFILED) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)
            early = await bench.ask(Observe(End()), role="dealer", command_id="same")
            (held,) = bench.now.holds
            assert isinstance(early, Accepted)
            assert await bench.ask(Observe(End()), role="dealer", command_id="same") == early
            lifted = HoldsLifted("p7", "seen", (held.code,))
            await bench.ask(Observe(lifted))
            await bench.say(*ENDING)
            number = bench.now.state.book.number
            assert await bench.ask(Observe(End()), role="dealer", command_id="same") == early
            assert bench.now.state.book.number == number

    asyncio.run(story())


def test_a_decision_on_an_old_sight_of_the_table_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)
            looked_at = bench.now.seq
            await bench.say(Decision(1, 1, "hit"))
            await bench.shoe(*cards("2"))
            stale = await bench.ask(Observe(Decision(1, 1, "hit")), seq=looked_at)
            assert isinstance(stale, Rejected)
            assert stale.code == "STALE_COMMAND"
            assert isinstance(await bench.ask(Observe(Decision(1, 1, "stand")), seq=bench.now.seq), Accepted)

    asyncio.run(story())


def test_nobody_decides_on_a_table_that_is_yet_to_come(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            newest = bench.now.seq
            early = await bench.ask(Observe(Bet(1, 0, 1000)), seq=newest + 1)
            assert early == Rejected("STALE_COMMAND", (("seen", newest + 1), ("newest", newest)))
            assert isinstance(await bench.ask(Observe(Bet(1, 0, 1000)), seq=newest), Accepted)
            assert isinstance(await bench.ask(CallPit(), seq=newest + 99), Accepted), "a stop is always taken"

    asyncio.run(story())


def test_a_refused_act_changes_nothing_and_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def story() -> None:
        async with Bench(path) as bench:
            before = bench.now.state
            answer = await bench.ask(Observe(Bet(1, 0, 1)))
            assert isinstance(answer, Rejected)
            assert answer.code == "STAKE_BELOW_MIN"
            assert bench.now.state == before

    asyncio.run(story())
    assert entries(path)[-1].kind == "refused"


@pytest.mark.parametrize(
    ("role", "action", "code"),
    [
        ("dealer", Observe(Correct(1, None, "9", None, "d", "r")), "NOT_ALLOWED"),
        ("dealer", Observe(CardSeen("9")), "NOT_ALLOWED"),
        ("tester", Observe(Bet(1, 0, 1000)), "NOT_ALLOWED"),
        ("pit", AlertStep(99, "ack"), "ALERT_UNKNOWN"),
        ("pit", Resume(), "NOT_HELD"),
    ],
)
def test_who_may_not_gets_a_code(tmp_path: Path, role: str, action: object, code: str) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            answer = await bench.ask(action, role=role)  # type: ignore[arg-type]  # parametrised by pytest
            assert isinstance(answer, Rejected)
            assert answer.code == code

    asyncio.run(story())


def test_the_dealer_may_name_a_card_that_nobody_could_read(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(*OPENING)
            await bench.shoe(CardSeen(None, None, by="shoe"))
            before = bench.now.expected.code
            assert before == "WHICH_CARD"
            name = Observe(Correct(1, None, "10", "s", "dealer", "read by eye"))
            assert isinstance(await bench.ask(name, role="dealer"), Accepted)
            assert bench.now.expected.code == "DEAL_DEALER"

    asyncio.run(story())


def test_many_presses_at_once_share_commits(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def story() -> None:
        async with Bench(path) as bench:
            presses = [bench.ask(Observe(Bet(1 + n % 7, 0, 1000))) for n in range(60)]
            answers = await asyncio.gather(*presses)
            assert all(isinstance(answer, Accepted) for answer in answers)

    asyncio.run(story())
    times = {entry.at_utc_us for entry in entries(path)}
    assert len(times) < 20


def test_a_restart_in_the_middle_of_a_round_is_the_exact_state(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def story() -> Ledger:
        async with Bench(path) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL, DeviceSeen("shoe", "live"))
            await bench.say(Decision(1, 1, "hit"))
            return bench.table.ledger

    shown = asyncio.run(story())
    reader = JournalReader(path)
    ledger = restore(reader.read())
    reader.close()
    assert ledger is not None
    assert ledger == shown

    async def after_restart() -> None:
        async with Bench(path) as bench:
            assert bench.now.expected.code == "CARD_OWED"
            assert [hold.code for hold in bench.now.holds] == ["RESTARTED"]
            await bench.ask(Resume(), role="dealer")
            await bench.shoe(*cards("3"))
            await bench.say(*ENDING)
            assert bench.now.result is not None
            assert bench.now.result.bets[0].returned == 2000

    asyncio.run(after_restart())


def test_autoplay_is_for_simulations(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            assert bench.now.autoplay is True
            assert isinstance(await bench.ask(Autoplay(False)), Accepted)
            assert bench.now.autoplay is False

    asyncio.run(story())


def test_a_slow_screen_skips_to_the_newest_snapshot(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            screen = bench.table.hub.subscribe()
            first = await anext(screen)
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)
            newest = await anext(screen)
            assert newest[0] == bench.now.seq > first[0] + 3
            await screen.aclose()

    asyncio.run(story())


def test_the_reveal_of_a_card_read_by_the_shoe_needs_no_rank(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)
            await bench.say(Decision(1, 1, "stand"), Reveal())
            assert bench.now.state.dealer.revealed
            assert isinstance(await bench.ask(Observe(Close())), Accepted)

    asyncio.run(story())
