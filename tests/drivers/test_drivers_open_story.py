"""Whatever happens to a reader and its line, no card is lost, doubled or changed without a word."""

from itertools import count, product
from random import Random
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.shoe.events import CardOut, CopiesDiffer, Gap, NotUnderstood, ShoeEvent, ShoeStarted
from drivers.shoe.open_cards import RANKS, SUITS
from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.open_simulator import OpenDevice
from tests.drivers.lossy_line import LossyLine

NAMES = list(product(RANKS, SUITS, range(250, 256)))
"""Enough different readings for every card of a story to be known again."""


class Step(NamedTuple):
    """One thing that happens, and for how long or how often."""

    what: str
    many: int


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(["deal", "deal", "run", "cut", "plug", "restart", "program_restarts"]),
        st.integers(1, 12),
    ),
    max_size=14,
)


class Story:
    """A reader, a host and a line between them; `events` is all that the host said, in order."""

    def __init__(self, seed: int, rate: float) -> None:
        self.random = Random(seed)
        self.device, self.shoe = OpenDevice(self.random, ring=24), OpenShoe()
        self.there, self.back = LossyLine(self.random, rate), LossyLine(self.random, rate)
        self.now_ms, self.plugged = 0, True
        self.numbers = count()
        self.dealt: list[int] = []
        self.events: list[ShoeEvent] = []

    def deal(self, many: int) -> None:
        for number in (next(self.numbers) for _ in range(many)):
            rank, suit, sure = NAMES[number % len(NAMES)]
            self.device.card(self.device.leave(self.now_ms), rank, suit, sure / 255, self.now_ms)
            self.dealt.append(number)

    def run(self, many: int) -> None:
        for _ in range(many * 10):
            sent = self.device.outgoing(self.now_ms)
            if self.plugged:
                self.events += self.shoe.feed(self.there.carry(sent))
                events, answer = self.shoe.poll(self.now_ms)
                self.events += events
                self.device.hear(self.back.carry(answer), self.now_ms)
            self.now_ms += 10

    def cut(self, _: int) -> None:
        self.plugged = False

    def plug(self, _: int) -> None:
        if not self.plugged:
            self.plugged = True
            self.shoe.connected()

    def restart(self, _: int) -> None:
        self.device.restart(self.now_ms)

    def program_restarts(self, _: int) -> None:
        """The program begins anew, as after a crash; the table comes back held."""
        self.shoe = OpenShoe()
        self.events.append(ShoeStarted())

    def heard(self) -> list[int]:
        """Numbers of the cards that the host counted."""
        return [
            NAMES.index((event.rank, event.suit, round((event.p or 0) * 255)))
            for event in self.events
            if isinstance(event, CardOut) and event.rank and event.suit
        ]


@settings(max_examples=150, deadline=None)
@given(steps, st.integers(0, 2**16), st.sampled_from([0.0, 0.01, 0.03]))
def test_no_card_is_lost_doubled_or_changed_without_a_word(story: list[Step], seed: int, rate: float) -> None:
    told = Story(seed, rate)
    told.run(1)
    for what, many in story:
        getattr(told, what)(many)
    told.plug(1)
    told.run(60)
    heard = told.heard()
    assert heard == sorted(set(heard)), "doubled or out of order"
    assert set(heard) <= set(told.dealt), "invented"
    words = any(
        isinstance(event, Gap | ShoeStarted | CopiesDiffer | NotUnderstood) for event in told.events[2:]
    )
    unread = sum(isinstance(event, CardOut) and event.rank is None for event in told.events)
    assert words or len(heard) + unread == len(told.dealt), "lost in silence"
