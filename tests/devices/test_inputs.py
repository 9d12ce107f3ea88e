"""Keypad, pedal and peek device at a live table: real drivers on FIFO and pseudo-terminal."""

import asyncio
from contextlib import suppress
from pathlib import Path

from controller.acts.catalogue import Bet, Close, Decision
from controller.runtime.api import Resume
from drivers.simulated import PtyLine, PtyShoe
from tests.drivers.far_ends.keypad import SimulatedKeypad
from tests.drivers.far_ends.text_device import SimulatedTextDevice
from tests.main.live_kit import Live, play

PLUS, MINUS, DOUBLE, POINT, ENTER, NUM_LOCK = 78, 74, 55, 83, 96, 69
RESTED_S = 0.4
"""Longer than keys rest after they have changed their meaning."""


async def deal(live: Live, shoe: PtyShoe, *ranks: str) -> None:
    for rank in ranks:
        before = live.now.state.shoe.seen + live.now.waiting
        shoe.deal(rank, "s")
        await live.until(lambda: live.now.state.shoe.seen + live.now.waiting > before)  # noqa: B023 - awaited here


def notice_of(state: dict[str, object]) -> tuple[str, str] | None:
    notice = state["notice"]
    assert notice is None or isinstance(notice, dict)
    return None if notice is None else (notice["key"]["code"], notice["why"]["code"])


async def press_until(live: Live, pad: SimulatedKeypad, keys: tuple[int, ...], expected: str) -> None:
    """Press once the table has rested, and again where a busy machine had it rest later than that."""
    while live.now.expected.code != expected:
        await asyncio.sleep(RESTED_S)
        for key in keys:
            pad.press(key)
        with suppress(AssertionError):
            await live.until(lambda: live.now.expected.code == expected, 5.0)


def test_keys_act_as_the_screen_does_and_say_why_they_do_not(tmp_path: Path, shoe: PtyShoe) -> None:
    pad = SimulatedKeypad(tmp_path / "pad")

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("pad") == "live")
        await live.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        await deal(live, shoe, "5", "10", "6", "6", "2", "9")
        assert live.now.expected.code == "PLAYER"
        pad.press(MINUS)
        await live.until(lambda: live.now.state.current is not None)
        await asyncio.sleep(0.05)
        assert notice_of(await live.get("/api/state")) == ("key.STAND", "why.TOO_SOON")
        await press_until(live, pad, (DOUBLE,), "CARD_OWED")
        assert (await live.get("/api/state"))["notice"] is None
        await deal(live, shoe, "9")
        await press_until(live, pad, (DOUBLE, PLUS), "CARD_OWED")
        await deal(live, shoe, "5")
        await press_until(live, pad, (MINUS, MINUS, MINUS), "REVEAL")
        pad.press(ENTER)
        await asyncio.sleep(0.1)
        assert notice_of(await live.get("/api/state")) == ("key.CLEAR_TABLE", "why.TOO_SOON")
        facts = [fact.obs for fact in live.now.state.log if isinstance(fact.obs, Decision)]
        assert facts == [Decision(1, 1, "double"), Decision(2, 1, "hit"), Decision(2, 1, "stand")]

    run = {"name": "pad", "port": str(tmp_path / "pad")}
    play(tmp_path, story, {"port": shoe.port}, keypad=[run])
    pad.unplug()


def test_the_freeze_key_stops_the_table_at_any_moment_and_other_keys_rest(
    tmp_path: Path, shoe: PtyShoe, line: PtyLine
) -> None:
    pedal = SimulatedTextDevice(line)

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("pedal") == "live")
        pedal.say("ALIVE", "SN1")
        pedal.say("KEY", "freeze")
        await live.until(lambda: live.holds == ["FROZEN"])
        assert live.now.holds[0].by == "dealer:pedal"
        pedal.say("KEY", "stand")
        await live.until(lambda: live.holds == ["FROZEN"])
        await asyncio.sleep(0.1)
        assert notice_of(await live.get("/api/state")) == ("key.STAND", "why.TOO_SOON")
        await asyncio.sleep(RESTED_S)
        pedal.say("KEY", "surrender")
        await asyncio.sleep(0.1)
        assert notice_of(await live.get("/api/state")) == ("key.SURRENDER", "refused.TABLE_HELD")
        await live.ask(Resume())
        pedal.say("PEEK", "1")
        await live.until(lambda: live.alerts == ["INPUT_NOT_UNDERSTOOD"])
        assert live.holds == []
        await asyncio.sleep(RESTED_S)
        pedal.say("KEY", "cut_card")
        await live.until(lambda: live.holds == ["SHUFFLE_DUE"])

    section = {"name": "pedal", "kind": "serial", "port": line.port}
    play(tmp_path, story, {"port": shoe.port}, keypad=[section])


def test_a_peek_device_answers_for_the_dealer(tmp_path: Path, shoe: PtyShoe, line: PtyLine) -> None:
    device = SimulatedTextDevice(line)

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("peek") == "live")
        await live.say(Bet(1, 0, 1000), Close())
        await deal(live, shoe, "10", "K", "9")
        shoe.deal(None, None)
        await live.until(lambda: live.now.expected.code == "PEEK")
        device.say("PEEK", "0")
        await live.until(lambda: live.now.expected.code == "PLAYER")
        assert live.holds == []

    play(tmp_path, story, {"port": shoe.port}, rules="nl", peek={"port": line.port})


def test_a_lost_keypad_warns_and_a_required_one_stops_the_table(
    tmp_path: Path, shoe: PtyShoe, line: PtyLine
) -> None:
    pad = SimulatedKeypad(tmp_path / "pad")

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("pad") == "live" and live.device("pedal") == "live")
        pad.unplug()
        await live.until(lambda: live.alerts == ["DEVICE_LOST"])
        assert live.holds == []
        line.unplug()
        await live.until(lambda: live.holds == ["DEVICE_LOST"])
        line.plug()
        await live.until(lambda: live.device("pedal") == "live")
        await live.ask(Resume(), role="dealer")
        assert live.holds == []

    sections = [
        {"name": "pad", "port": str(tmp_path / "pad")},
        {"name": "pedal", "kind": "serial", "port": line.port, "required": True},
    ]
    play(tmp_path, story, {"port": shoe.port}, keypad=sections)
