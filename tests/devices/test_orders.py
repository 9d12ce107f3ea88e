"""Orders of the pit to the shoe: written down first, sent once, answered on the page, and off by default."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.ports import SystemClock
from controller.runtime.api import CallPit, Resume
from drivers.simulated import PtyShoe
from tests.drivers.far_ends.open_shoe import PtyReader
from tests.main.live_kit import Live, play

PRESSES = count(1)


@contextmanager
def angel(*, answers: bool = True) -> Iterator[tuple[PtyShoe, list[str]]]:
    """A simulated shoe that listens for commands, and what reached it; without `answers` it stays mute."""
    shoe, taken, stop = PtyShoe(), list[str](), threading.Event()

    def listen() -> None:
        while not stop.is_set():
            if answers:
                taken.extend(shoe.answer(0.05))
            else:
                taken.extend(["?"] if shoe._line.read(0.05) else [])

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield shoe, taken
    finally:
        stop.set()
        thread.join()
        shoe.close()


def entries(folder: Path, *kinds: str) -> list[tuple[str, str, dict[str, Any]]]:
    reader = JournalReader(folder / "table.journal")
    try:
        found = [entry for entry in reader.read() if isinstance(entry, Entry) and entry.kind in kinds]
        return [(entry.kind, entry.actor, json.loads(entry.body)) for entry in found]
    finally:
        reader.close()


async def pit(live: Live, act: dict[str, Any]) -> tuple[int, Any]:
    """Sign in as P-7 and act."""
    await live.sign_in("P-7")
    body = {"command_id": f"press-{next(PRESSES):04}", "expected_seq": live.now.seq, "role": "pit"}
    return await live.post("/api/commands", {**body, "act": act})


def order(name: str) -> dict[str, str]:
    return {"do": "order", "device": "shoe", "order": name, "reason": "CARD_STUCK"}


async def last(live: Live) -> dict[str, Any]:
    state = await live.get("/api/state")
    answer: dict[str, Any] = state["devices"][0]["last_order"]
    return answer


def test_the_pit_locks_the_shoe_and_everything_is_written_down(tmp_path: Path) -> None:
    with angel() as (shoe, taken):

        async def story(live: Live) -> None:
            status, _ = await pit(live, order("lock"))
            assert status == 200
            await live.until(lambda: live.alerts == ["SHOE_LOCKED"])
            assert taken == ["OPLK02"]
            shown = await last(live)
            assert (shown["order"]["code"], shown["by"], shown["done"]) == ("ui.order_lock", "P-7", True)
            shoe.error(6)
            await live.until(lambda: "SHOE_CARD_CODE" in live.alerts)
            await pit(live, order("clear_error"))
            await live.until(lambda: taken == ["OPLK02", "OPEC06"])

        play(tmp_path, story, {"port": shoe.port, "commands": True})
    said = entries(tmp_path, "ordered", "answered")[:2]
    assert [(kind, actor) for kind, actor, _ in said] == [("ordered", "pit:P-7"), ("answered", "device:shoe")]
    assert said[0][2]["order"] == "lock"
    assert said[0][2]["reason"] == "CARD_STUCK"
    assert said[1][2] == {"device": "shoe", "order": "lock", "code": ""}


def test_without_the_setting_nothing_reaches_the_shoe(tmp_path: Path) -> None:
    with angel() as (shoe, taken):

        async def story(live: Live) -> None:
            assert (await live.get("/api/state"))["devices"][0]["orders"] == []
            status, refusal = await pit(live, order("unlock"))
            assert (status, refusal["code"]) == (409, "refused.ORDER_NOT_POSSIBLE")
            await asyncio.sleep(0.1)

        play(tmp_path, story, {"port": shoe.port})
    assert taken == []
    assert entries(tmp_path, "ordered") == []


def test_a_dealer_gives_no_orders_and_neither_does_a_pit_without_session(tmp_path: Path) -> None:
    with angel() as (shoe, taken):

        async def story(live: Live) -> None:
            body = {
                "command_id": "order-0001",
                "expected_seq": live.now.seq,
                "actor": "D-17",
                "act": order("lock"),
            }
            status, refusal = await live.post("/api/commands", {**body, "role": "dealer"})
            assert (status, refusal["code"]) == (409, "refused.NOT_ALLOWED")
            status, refusal = await live.post("/api/commands", {**body, "role": "pit"})
            assert (status, refusal["code"]) == (409, "refused.SIGN_IN_NEEDED")
            act = {**order("lock"), "reason": ""}
            assert (await pit(live, act))[0] == 422

        play(tmp_path, story, {"port": shoe.port, "commands": True})
    assert taken == []


def test_an_order_without_answer_says_so_and_is_not_sent_again(tmp_path: Path) -> None:
    with angel(answers=False) as (shoe, taken):

        async def story(live: Live) -> None:
            await pit(live, order("unlock"))
            await live.until(lambda: live.now.devices[0].last_order is not None)
            status, refusal = await pit(live, order("lock"))
            assert (status, refusal["code"]) == (409, "refused.ORDER_PENDING")
            await live.until(lambda: live.alerts == ["SHOE_COMMAND_REFUSED"])
            shown = await last(live)
            assert (shown["answer"]["code"], shown["done"]) == ("ui.order_NO_ANSWER", False)
            await asyncio.sleep(0.3)

        play(tmp_path, story, {"port": shoe.port, "commands": True})
    assert taken == ["?"]


@pytest.mark.parametrize("protocol", ["angel_eye", "open"])
def test_an_order_on_a_line_that_breaks_is_answered_and_not_sent_again(tmp_path: Path, protocol: str) -> None:
    reader = MUTE[protocol]()

    async def story(live: Live) -> None:
        # What a reader says as it is switched on ends an order, too: another answer than a broken line's.
        await live.until(lambda: _has_been_heard(reader))
        await pit(live, order("unlock"))
        await live.until(lambda: live.now.devices[0].last_order is not None)
        reader.unplug()
        await live.until(lambda: "DEVICE_LOST" in live.holds)
        reader.plug()
        await live.until(lambda: live.device("shoe") == "live")
        await live.until(
            lambda: (found := live.now.devices[0].last_order) is not None and found.code is not None
        )
        assert (await last(live))["answer"]["code"] == "ui.order_LINE_LOST"

    try:
        play(tmp_path, story, {"port": reader.port, "protocol": protocol, "commands": True, "baud": 115200})
    finally:
        reader.close()


class MuteReader(PtyReader):
    """An open-protocol reader that never says that a command is done."""

    def __init__(self) -> None:
        clock = SystemClock()
        super().__init__(Random(1), lambda: clock.mono_ns() // 1_000_000)
        self.device._carry_out = lambda *_: None  # type: ignore[method-assign]


def _has_been_heard(reader: PtyShoe | PtyReader) -> bool:
    """Whether the host has acknowledged all that this reader sent so far; nobody acknowledges the other."""
    return isinstance(reader, PtyShoe) or reader.device._unacked == reader.device._next


MUTE: dict[str, Callable[[], PtyShoe | PtyReader]] = {"angel_eye": PtyShoe, "open": MuteReader}


def test_the_table_locks_its_shoe_while_it_waits_for_a_ruling(tmp_path: Path) -> None:
    """Frozen, it is locked, and no card leaves; what the pit unlocks meanwhile stays so."""
    with angel() as (shoe, taken):

        async def story(live: Live) -> None:
            await live.ask(CallPit("look"))
            await live.until(lambda: taken == ["OPLK02"] and live.alerts == ["SHOE_LOCKED"])
            line = (await live.get("/api/state"))["prompts"][0]["detail"]
            assert {"code": "detail.SHOE_LOCKED", "params": {}} in line
            shoe.deal("9", "s")
            await live.ask(Resume())
            await live.until(lambda: taken == ["OPLK02", "OPLK01"] and live.alerts == [])
            assert live.now.waiting == live.now.state.shoe.seen == 0
            await live.ask(CallPit("again"))
            await live.until(lambda: taken[2:] == ["OPLK02"] and live.alerts == ["SHOE_LOCKED"])
            await pit(live, order("unlock"))
            await live.until(lambda: taken[3:] == ["OPLK01"])
            await live.ask(Resume())
            await asyncio.sleep(0.1)
            assert taken[4:] == []

        play(tmp_path, story, {"port": shoe.port, "commands": True, "lock_while_held": True})
    ordered = entries(tmp_path, "ordered")
    assert [(actor, body["order"]) for _, actor, body in ordered] == [
        ("system:table", "lock"),
        ("system:table", "unlock"),
        ("system:table", "lock"),
        ("pit:P-7", "unlock"),
    ]
