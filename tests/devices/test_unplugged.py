"""A device is pulled out and put back in each phase of a round: the table holds, says why, and loses nothing.

The shoe's line is a pseudo-terminal that goes away and comes back, the camera a stream whose server is killed
and started again. In each phase the shoe is first gone while nobody deals, then while a card is dealt.
"""

import asyncio
import json
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Close,
    Decision,
    End,
    InsuranceClosed,
    Observation,
    Reveal,
)
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.ports import SystemClock
from controller.runtime.api import Accepted, BoxHandled, Observe, Rejected, Resume, Role
from drivers.simulated import PtyShoe
from tests.drivers.camera.camera_server import felt, http_camera, jpeg, opening, part
from tests.drivers.far_ends.open_shoe import PtyReader
from tests.main.live_kit import Live, play

Shoe = PtyShoe | PtyReader
Step = str | Observation | BoxHandled

INSURED: Final[tuple[Step, ...]] = (Bet(1, 0, 1000), Close(), "10", "A", "7", "3")
"""Ten and seven at box 1, an ace at the dealer's, a three face down."""

PHASES: Final[dict[str, tuple[tuple[Step, ...], str]]] = {
    "bets": ((Bet(1, 0, 1000),), "PLACE_BETS"),
    "dealing": (INSURED[:3], "DEAL_DEALER"),
    "insurance": (INSURED, "INSURANCE"),
    "player": ((*INSURED, InsuranceClosed()), "PLAYER"),
    "dealer": ((*INSURED, InsuranceClosed(), Decision(1, 1, "stand"), Reveal()), "DRAW"),
    "settled": ((*INSURED, InsuranceClosed(), Decision(1, 1, "stand"), Reveal(), "K", "7"), "SETTLED"),
    "between": (
        (*INSURED, InsuranceClosed(), Decision(1, 1, "stand"), Reveal(), "K", "7", BoxHandled(1, 1), End()),
        "PLACE_BETS",
    ),
}
"""What happens before, and what the table waits for then."""

FAULTS: Final = {
    ("angel_eye", "insurance"): "INSURANCE_UNCLEAR",
    ("open", "insurance"): "INSURANCE_UNCLEAR",
    ("angel_eye", "player"): "HOLE_NOT_REVEALED",
    ("open", "player"): "DECISION_UNCLEAR",
    ("angel_eye", "dealer"): "DEALER_DREW_ON_17",
    ("angel_eye", "settled"): "DEALER_DREW_ON_17",
    ("open", "settled"): "DEALER_DREW_ON_17",
    ("angel_eye", "between"): "CARD_BEFORE_BETS",
    ("open", "between"): "CARD_BEFORE_BETS",
}
"""What the cards that left the shoe while it was gone are at the table, where they were not due."""

START_HEARD_S: Final = 0.5
PICTURES: Final = [jpeg(felt(number, (160, 90))) for number in range(4)]


def open_reader() -> PtyReader:
    clock = SystemClock()
    return PtyReader(Random(1), lambda: clock.mono_ns() // 1_000_000)


READERS: Final[dict[str, Callable[[], Shoe]]] = {"angel_eye": PtyShoe, "open": open_reader}


class Dealing:
    """Deals at a live table and remembers what has left the shoe."""

    def __init__(self, live: Live, shoe: Shoe, dealt: list[str]) -> None:
        self.live = live
        self.shoe = shoe
        self.dealt = dealt

    def let_go(self, rank: str) -> None:
        self.shoe.deal(rank, "s")
        self.dealt.append(rank)

    @property
    def arrived(self) -> int:
        now = self.live.now
        return now.state.shoe.seen + now.waiting

    async def come_to(self, steps: tuple[Step, ...], expected: str) -> None:
        if isinstance(self.shoe, PtyShoe):
            # A reader of the open protocol is on already: switched off and on, it holds the table.
            self.shoe.start()
        # The table is told nothing of a start. Pulled out before it is heard, the shoe has no sequence that a
        # missing card could break.
        await asyncio.sleep(START_HEARD_S)
        for step in steps:
            if isinstance(step, str):
                before = self.arrived
                self.let_go(step)
                await self.live.until(lambda: self.arrived == before + 1)  # noqa: B023 - awaited here
            elif isinstance(step, BoxHandled):
                assert isinstance(await self.live.ask(step), Accepted)
            else:
                await self.live.say(step)
        assert self.live.now.expected.code == expected
        assert self.live.holds == []

    async def unplug(self) -> None:
        """Pull the cable; the table holds and says why, and nothing goes on before the shoe is back."""
        self.shoe.unplug()
        await held_for(self.live, "shoe")

    async def plug(self) -> None:
        """Put it back; that alone lifts nothing."""
        self.shoe.plug()
        await self.live.until(lambda: self.live.device("shoe") == "live")
        assert "DEVICE_LOST" in self.live.holds


class Stream:
    """A camera that sends pictures of a felt over HTTP; its server can be killed and started again."""

    def __init__(self) -> None:
        self._server = ExitStack()
        self.address = self._server.enter_context(http_camera(self._send))

    def kill(self) -> None:
        self._server.close()

    def start(self) -> None:
        self._server.enter_context(http_camera(self._send, urlsplit(self.address).port or 0))

    @staticmethod
    def _send(client: socket.socket) -> None:
        client.sendall(opening())
        for number in range(1_000_000):
            client.sendall(part(PICTURES[number % len(PICTURES)]))
            time.sleep(0.05)

    def section(self) -> dict[str, Any]:
        nowhere = [{"x": 80, "y": 45, "radius": 40}]
        return {"source": self.address, "boxes": nowhere, "read_every_ms": 60_000, "silence_ms": 10_000}


async def held_for(live: Live, name: str) -> None:
    """Wait until the table holds for this device; the dealer can neither act nor go on."""
    await live.until(lambda: live.holds == ["DEVICE_LOST"])
    assert live.now.holds[0].params == (("name", name),)
    answer = await live.ask(Observe(Bet(2, 0, 1000)), role="dealer")
    assert answer == Rejected("TABLE_HELD", (("reason", "DEVICE_LOST"),))
    answer = await live.ask(Resume(), role="dealer")
    assert answer == Rejected("DEVICE_STILL_LOST", (("name", name),))


async def resume(live: Live, role: Role = "dealer", fault: str | None = None) -> None:
    """Go on; the cards that waited are laid, and `fault` is what holds the table for them then."""
    answer = await live.ask(Resume(), role=role)
    assert isinstance(answer, Accepted), (answer, live.holds)
    assert live.holds == ([] if fault is None else [fault])


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("protocol", READERS)
def test_a_shoe_that_was_gone_costs_no_card_and_makes_none(tmp_path: Path, protocol: str, phase: str) -> None:
    shoe = READERS[protocol]()
    dealt: list[str] = []

    async def story(live: Live) -> None:
        dealing = Dealing(live, shoe, dealt)
        await dealing.come_to(*PHASES[phase])
        waits_for = live.now.expected
        await dealing.unplug()
        await dealing.plug()
        await resume(live)
        assert (live.now.expected, live.now.waiting) == (waits_for, 0)
        await dealing.unplug()
        dealing.let_go("6")
        await dealing.plug()
        await GO_ON[protocol](live, dealing, FAULTS.get((protocol, phase)))

    try:
        play(tmp_path, story, {"port": shoe.port, "protocol": protocol, "baud": 115200})
    finally:
        shoe.close()
    assert cards_of(tmp_path) == dealt


async def go_on_with_memory(live: Live, _: Dealing, fault: str | None) -> None:
    """The open reader sends what it dealt meanwhile; it waits for the dealer to go on."""
    await live.until(lambda: live.now.waiting == 1)
    await resume(live, fault=fault)
    await answer(live)


async def go_on_with_gap(live: Live, dealing: Dealing, fault: str | None) -> None:
    """An Angel Eye's next card shows that one is missing: the pit enters it before that one."""
    await resume(live)
    dealing.let_go("5")
    await live.until(lambda: "SHOE_GAP" in live.holds and live.now.waiting == 1)
    assert await live.ask(Resume(), role="dealer") == Rejected("NOT_ALLOWED", (("role", "dealer"),))
    await live.say(CardSeen("6", by="pit"))
    await resume(live, "pit", fault)
    await answer(live)


async def answer(live: Live) -> None:
    """Say what a card is asked about, as long as one is: nobody insured, and box 1 asked for it."""
    if live.holds == ["INSURANCE_UNCLEAR"]:
        await live.say(InsuranceClosed())
    if live.holds == ["DECISION_UNCLEAR"]:
        await live.say(Decision(1, 1, "hit"))


GO_ON: Final = {"open": go_on_with_memory, "angel_eye": go_on_with_gap}


@pytest.mark.parametrize("phase", PHASES)
def test_a_camera_whose_server_died_holds_the_table_until_somebody_goes_on(
    tmp_path: Path, phase: str
) -> None:
    shoe, stream, dealt = PtyShoe(), Stream(), list[str]()

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("camera") == "live")
        dealing = Dealing(live, shoe, dealt)
        await dealing.come_to(*PHASES[phase])
        waits_for = live.now.expected
        stream.kill()
        await held_for(live, "camera")
        stream.start()
        await live.until(lambda: live.device("camera") == "live")
        assert live.holds == ["DEVICE_LOST"]
        await resume(live)
        assert live.now.expected == waits_for

    try:
        play(tmp_path, story, {"port": shoe.port}, camera=[stream.section()])
    finally:
        stream.kill()
        shoe.close()
    assert cards_of(tmp_path) == dealt


def cards_of(folder: Path) -> list[str]:
    """Ranks of every card that the journal has, in the order in which they were taken."""
    reader = JournalReader(folder / "table.journal")
    try:
        entries = [entry for entry in reader.read() if isinstance(entry, Entry)]
    finally:
        reader.close()
    facts = [json.loads(entry.body) for entry in entries if entry.kind == "fact"]
    return [fact["rank"] for fact in facts if fact["obs"] == "card"]
