"""Whatever happens to a reader and its line, no card is lost, doubled or changed without a word.

A word is what holds the table, as the shoe's adapter says it; a card that counts as unread is asked for.
"""

from itertools import count, product
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import CardOut, ShoeAdapter, ShoeEvent
from tests.drivers.far_ends.open_shoe import RANKS, SUITS, FrameType, OpenDevice
from tests.drivers.lossy_line import LossyLine

NAMES = list(product(RANKS, SUITS, range(250, 256)))
"""Enough different readings for every card of a story to be known again."""

HOLD, UNREAD, PROGRAM_RESTARTED = "hold", "unread", "program restarted"

SETTLE_TURNS_MAX = 6000
"""Ten minutes of the reader's clock; at 3 % damage the slowest of 99,000 stories took 11 seconds."""


class Step(NamedTuple):
    """One thing that happens, and for how long or how often."""

    what: str
    many: int


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(
            ["deal", "deal", "read_ahead", "pull_back", "run", "cut", "plug", "restart", "program_restarts"]
        ),
        st.integers(1, 12),
    ),
    max_size=14,
)


class Story:
    """A reader, a host and a line between them.

    `told` is what the table heard, in order: numbers of cards, `UNREAD` ones, what makes it `HOLD`, and
    `PROGRAM_RESTARTED`, behind which it is held as well.
    """

    def __init__(self, seed: int, rate: float) -> None:
        self.random = Random(seed)
        self.device, self.shoe = OpenDevice(self.random, ring=24), OpenShoe()
        self.adapter = ShoeAdapter("shoe", "story")
        self.there, self.back = LossyLine(self.random, rate), LossyLine(self.random, rate)
        self.now_ms, self.plugged = 0, True
        self.numbers = count()
        self.dealt: list[int] = []
        self.told: list[int | str] = []

    def deal(self, many: int) -> None:
        """Cards leave and are named when they are out."""
        for number in (next(self.numbers) for _ in range(many)):
            self.name(self.device.leave(self.now_ms), number)
            self.dealt.append(number)

    def read_ahead(self, many: int) -> None:
        """Cards are named in the mouth and leave a little later."""
        for number in (next(self.numbers) for _ in range(many)):
            self.name(self.device.coming, number)
            if self.random.random() < 0.2:
                self.run(1)
            self.device.leave(self.now_ms)
            self.dealt.append(number)

    def pull_back(self, _: int) -> None:
        """A card is named in the mouth and goes back into the shoe; the next one takes its passage."""
        self.name(self.device.coming, next(self.numbers))
        self.device.event(FrameType.REVERSE, self.device.coming, 20, now_ms=self.now_ms)

    def name(self, passage: int, number: int) -> None:
        rank, suit, sure = NAMES[number % len(NAMES)]
        self.device.card(passage, rank, suit, sure / 255, self.now_ms)

    def run(self, many: int) -> None:
        for _ in range(many * 10):
            sent = self.device.outgoing(self.now_ms)
            if self.plugged:
                self.receive(self.shoe.feed(self.there.carry(sent)))
                events, answer = self.shoe.poll(self.now_ms)
                self.receive(events)
                self.device.receive(self.back.carry(answer), self.now_ms)
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
        """The program begins anew, as after a crash."""
        self.shoe, self.adapter = OpenShoe(), ShoeAdapter("shoe", "story")
        self.told.append(PROGRAM_RESTARTED)

    def settle(self) -> None:
        """Put the cable back and let the reader tell all that it has; a card without a name gets its time."""
        self.plug(1)
        for _ in range(SETTLE_TURNS_MAX):
            self.run(1)
            if self.device.settled:
                break
        self.run(30)

    def receive(self, events: list[ShoeEvent]) -> None:
        for event in events:
            if any(trouble.hold for trouble in self.adapter.to_troubles(event)):
                self.told.append(HOLD)
            if isinstance(event, CardOut):
                self.told.append(UNREAD if event.rank is None else self.number_of(event))

    def number_of(self, card: CardOut) -> int:
        return NAMES.index((card.rank or "", card.suit or "", round((card.p or 0) * 255)))

    def lost_in_silence(self) -> list[int]:
        """Cards that the table has not heard of, and nothing held it before it heard of the next one."""
        lost: list[int] = []
        waiting = list(self.dealt)
        unread, held = 0, False
        for told in [*self.told, len(NAMES)]:
            if isinstance(told, str):
                unread, held = unread + (told == UNREAD), held or told != UNREAD
                continue
            missing = [number for number in waiting if number < told]
            lost += [] if held else missing[unread:]
            waiting = [number for number in waiting if number > told]
            unread, held = 0, False
        return lost

    def doubled(self) -> list[int]:
        """Cards that one run of the program heard twice, or behind a later one.

        A program that crashes before the reader hears its acknowledgement is sent the same cards again
        when it is back: the table is held then, and somebody compares them with the felt.
        """
        wrong: list[int] = []
        last = -1
        for told in self.told:
            if isinstance(told, int):
                wrong += [told] if told <= last else []
                last = max(last, told)
            elif told == PROGRAM_RESTARTED:
                last = -1
        return wrong


def told_after(story: list[Step], seed: int, rate: float) -> Story:
    made = Story(seed, rate)
    made.run(1)
    for what, many in story:
        getattr(made, what)(many)
    made.settle()
    return made


BACK_IN_THE_SHOE = [
    *(Step("read_ahead", 11), Step("deal", 10), Step("read_ahead", 11), Step("deal", 5), Step("run", 2)),
    *(Step("pull_back", 1), Step("deal", 6), Step("read_ahead", 1), Step("deal", 5)),
]
"""That the last card went back is lost, and its name came early."""


@settings(max_examples=150, deadline=None)
@given(steps, st.integers(0, 2**16), st.sampled_from([0.0, 0.01, 0.03]))
@example([Step("deal", 1), Step("restart", 1)], 5391, 0.01)
@example([Step("read_ahead", 3), Step("restart", 1), Step("deal", 10), Step("read_ahead", 2)], 1, 0.0)
@example(BACK_IN_THE_SHOE, 1401130, 0.06)
@example([Step("deal", 2), Step("run", 4), Step("program_restarts", 1)], 1, 0.03)
def test_no_card_is_lost_doubled_or_changed_without_a_word(story: list[Step], seed: int, rate: float) -> None:
    told = told_after(story, seed, rate)
    assert {number for number in told.told if isinstance(number, int)} <= set(told.dealt), "invented"
    assert told.doubled() == []
    assert told.lost_in_silence() == []


@pytest.mark.parametrize(
    ("seed", "rate"), [(1, 0.0), (5391, 0.01)], ids=["it was heard before", "its first message came damaged"]
)
def test_a_reader_that_restarts_before_it_has_told_of_its_first_card_holds_the_table(
    seed: int, rate: float
) -> None:
    assert told_after([Step("deal", 1), Step("restart", 1)], seed, rate).told == [HOLD]


def test_a_reader_that_starts_while_the_table_listens_holds_nothing() -> None:
    assert told_after([Step("run", 20), Step("deal", 1)], 1, 0.0).told == [0]
