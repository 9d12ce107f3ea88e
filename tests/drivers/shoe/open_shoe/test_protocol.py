"""The open shoe protocol: every card once, in order, named or not; what cannot be repaired is a gap."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.domain.errors import DeviceError
from drivers.shoe.events import (
    CardOut,
    CardPulledBack,
    CardRepeated,
    CommandAnswered,
    CopiesDiffer,
    CutCardOut,
    DoubleFeed,
    Gap,
    InTestMode,
    LidChanged,
    NotUnderstood,
    ShoeError,
    ShoeErrorCleared,
    ShoeEvent,
    ShoeIdentified,
    ShoeStarted,
    StatusChanged,
)
from drivers.shoe.open_shoe import Crop, Name, OpenShoe, OpenShoeOptions
from drivers.shoe.protocol import ShoeCommand
from drivers.simulated.open_shoe import Kind, OpenDevice, wire
from tests.drivers.drivers_kit import cut
from tests.drivers.lossy_line import deal_angel, deal_open

BOOT = 0xBEEF
ACE_OF_HEARTS = (1, 3, 0xFF ^ 0x13, 255, 0, 0, 0)


class Wire:
    """A device and a host with a clock between them; `cut_off` loses everything for a while."""

    def __init__(self, shoe: OpenShoe | None = None, *, test_mode: bool = False, ring: int = 512) -> None:
        self.device = OpenDevice(Random(5), test_mode=test_mode, ring=ring)
        self.shoe = shoe or OpenShoe()
        self.now_ms = 0
        self.cut_off = False

    def run(self, ms: int = 500) -> list[ShoeEvent]:
        events: list[ShoeEvent] = []
        for _ in range(0, ms, 10):
            to_host = self.device.outgoing(self.now_ms)
            events += self.shoe.feed(b"" if self.cut_off else to_host)
            more, to_device = self.shoe.poll(self.now_ms)
            events += more
            self.device.hear(b"" if self.cut_off else to_device, self.now_ms)
            self.now_ms += 10
        return events

    def deal(self, rank: str | None, suit: str | None = None, p: float = 1.0) -> None:
        self.device.card(self.device.leave(self.now_ms), rank, suit, p, self.now_ms)

    def event(self, kind: Kind, *fields: int | bytes) -> None:
        self.device.event(kind, *fields, now_ms=self.now_ms)


def cards(events: list[ShoeEvent]) -> list[str | None]:
    return [event.rank for event in events if isinstance(event, CardOut)]


def frame(seq: int, kind: Kind, *fields: int | bytes, boot: int = BOOT, t_ms: int = 0) -> bytes:
    return unfit(seq, kind, wire.payload(kind, *fields), boot=boot, t_ms=t_ms)


def unfit(seq: int, kind: int, payload: bytes, *, boot: int = BOOT, t_ms: int = 0) -> bytes:
    """An event with any payload."""
    return wire.frame(kind, payload, flags=wire.SEQUENCED, boot=boot, seq=seq, t_ms=t_ms)


def started(*more: bytes) -> list[ShoeEvent]:
    """What a fresh reader says after its HELLO."""
    shoe = OpenShoe()
    shoe.feed(frame(0, Kind.HELLO, b"SN1", bytes(8), 0, 512))
    return [event for data in more for event in shoe.feed(data)]


def test_a_reader_names_itself() -> None:
    events = OpenShoe().feed(frame(0, Kind.HELLO, b"SN0001", bytes(range(8)), 0b10011, 512))
    assert events == [
        ShoeStarted(),
        ShoeIdentified("SN0001", "0001020304050607", ("SENDS_CROPS", "LOCK", "SUITS")),
    ]


def test_cards_come_in_order_with_their_certainty() -> None:
    line = Wire()
    line.deal("A", "h")
    line.deal("A", "h")
    line.deal(None)
    line.event(Kind.CUT_CARD, line.device.leave(0))
    line.deal("10", "s")
    assert line.run()[-5:] == [
        CardOut(1, "A", "h", p=1.0),
        CardOut(2, "A", "h", p=1.0),
        CardOut(3, None, None, p=0.0),
        CutCardOut(),
        CardOut(4, "10", "s", p=1.0),
    ]


def test_a_card_that_the_reader_is_not_sure_of_is_unread() -> None:
    line = Wire()
    line.deal("A", "h", p=0.9)
    (card,) = (event for event in line.run() if isinstance(event, CardOut))
    assert (card.rank, card.suit) == (None, None)
    assert card.p == pytest.approx(0.9, abs=0.01)


def test_a_name_may_come_before_or_after_the_edge() -> None:
    name, edge = frame(1, Kind.CARD, 1, *ACE_OF_HEARTS), frame(2, Kind.EDGE, 1, 2, 80)
    assert started(name) == []
    assert cards(started(name, edge)) == ["A"]


def test_a_card_that_is_never_named_still_counts_before_the_next_one() -> None:
    edges = frame(1, Kind.EDGE, 1, 2, 80), frame(2, Kind.EDGE, 2, 2, 80)
    late = frame(3, Kind.CARD, 1, *ACE_OF_HEARTS)
    assert cards(started(*edges)) == [None]
    assert CardRepeated("A", "h", known=False) in started(*edges, late)


def test_a_card_that_is_not_named_within_a_second_of_the_readers_clock_is_unread() -> None:
    line = Wire()
    line.run()
    line.device.leave(line.now_ms)
    assert cards(line.run(900)) == []
    assert cards(line.run(2500)) == [None]


def test_a_pulled_back_card_is_not_dealt_and_its_reading_forgotten() -> None:
    data = (
        frame(1, Kind.CARD, 1, *ACE_OF_HEARTS),
        frame(2, Kind.REVERSE, 1, 20),
        frame(3, Kind.CARD, 1, 13, 4, 0xFF ^ 0xD4, 255, 0, 0, 0),
        frame(4, Kind.EDGE, 1, 2, 80),
    )
    assert started(*data) == [CardPulledBack(), CardOut(1, "K", "s", p=1.0)]


def test_two_names_for_one_card_are_reported() -> None:
    data = (
        frame(1, Kind.CARD, 1, *ACE_OF_HEARTS),
        frame(2, Kind.CARD, 1, 13, 4, 0xFF ^ 0xD4, 255, 0, 0, 0),
    )
    assert [type(event) for event in started(*data)] == [CopiesDiffer]


@pytest.mark.parametrize("fields", [(1, 3, 0x00), (14, 0, 0xFF ^ 0xE0), (1, 5, 0xFF ^ 0x15)])
def test_a_card_that_contradicts_itself_is_not_believed(fields: tuple[int, int, int]) -> None:
    events = started(frame(1, Kind.CARD, 1, *fields, 255, 0, 0, 0))
    assert [type(event) for event in events] == [NotUnderstood]


@pytest.mark.parametrize(
    ("kind", "fields", "event"),
    [
        (Kind.DOUBLE_FEED, (0, 1), DoubleFeed()),
        (Kind.LID, (1,), LidChanged(is_open=True)),
        (Kind.ERROR, (10, 1), ShoeError(10, "CAMERA", stopped=True)),
        (Kind.CLEARED, (10,), ShoeErrorCleared(10, "CAMERA")),
        (0x1F, (), NotUnderstood(b"\x1f")),
    ],
)
def test_the_reader_says_how_it_is(kind: int, fields: tuple[int, ...], event: ShoeEvent) -> None:
    assert started(unfit(1, kind, bytes(fields))) == [event]


def test_status_words_are_said_when_they_change() -> None:
    assert started(*(beat(BOOT, 1, 1, bits) for bits in (0, 2, 2, 5))) == [
        StatusChanged(("LID_OPEN",)),
        StatusChanged(("CARD_IN_MOUTH", "BRAKE")),
    ]


def test_what_was_dealt_while_the_cable_was_out_comes_afterwards() -> None:
    line = Wire()
    line.deal("A")
    assert cards(line.run()) == ["A"]
    line.cut_off = True
    for rank in ("2", "3", "4"):
        line.deal(rank)
    line.run(1500)
    line.cut_off = False
    line.shoe.connected()
    assert cards(line.run(1500)) == ["2", "3", "4"]


def test_what_has_fallen_out_of_the_ring_is_a_gap() -> None:
    line = Wire(ring=8)
    line.deal("A")
    line.run()
    line.cut_off = True
    for rank in ("2", "3", "4", "5", "6", "7"):
        line.deal(rank)
    line.run(100)
    line.cut_off = False
    events = line.run(2000)
    (gap,) = (event for event in events if isinstance(event, Gap))
    assert gap.lost == 4
    assert cards(events) == ["4", "5", "6", "7"]
    line.deal("8")
    assert line.run(2000)[-1] == CardOut(6, "8", None, p=1.0)


def test_what_was_read_before_a_gap_names_no_card_behind_it() -> None:
    """The ace went back into the shoe, and that is among the lost messages: another card has left."""
    shoe = OpenShoe()
    shoe.feed(frame(0, Kind.HELLO, b"SN1", bytes(8), 0, 512) + frame(1, Kind.CARD, 1, *ACE_OF_HEARTS))
    shoe.feed(frame(4, Kind.EDGE, 1, 2, 80))
    shoe.poll(0)
    gone = wire.frame(Kind.GONE, wire.payload(Kind.GONE, 4), flags=0, boot=BOOT, seq=5, t_ms=0)
    later = frame(5, Kind.EDGE, 2, 2, 80)
    assert shoe.feed(gone + later) == [Gap("2", "4", 2), CardOut(1, None, None, p=0.0)]


def test_each_hole_in_what_is_gone_is_a_gap_of_its_own() -> None:
    """Some of the old messages had come early: what is missing among them still counts."""
    shoe = OpenShoe()
    shoe.feed(frame(0, Kind.HELLO, b"SN1", bytes(8), 0, 512) + frame(2, Kind.CARD, 1, *ACE_OF_HEARTS))
    shoe.feed(frame(4, Kind.EDGE, 1, 2, 80))
    shoe.poll(0)
    gone = wire.frame(Kind.GONE, wire.payload(Kind.GONE, 4), flags=0, boot=BOOT, seq=5, t_ms=0)
    later = frame(5, Kind.EDGE, 2, 2, 80)
    gaps = [Gap("1", "2", 1), Gap("3", "4", 1)]
    assert shoe.feed(gone + later) == [*gaps, CardOut(1, None, None, p=0.0)]


def test_a_restarted_reader_is_noticed_even_when_its_hello_is_lost() -> None:
    line = Wire()
    line.deal("A")
    line.run()
    line.device.restart(line.now_ms)
    line.device.outgoing(line.now_ms)
    line.deal("K")
    events = line.run(3000)
    assert ShoeStarted(again=True) in events
    assert cards(events) == ["K"]


def test_a_card_that_had_left_when_the_reader_restarts_counts_as_unread() -> None:
    line = Wire()
    line.device.leave(line.now_ms)
    assert line.run(100)[-1] == ShoeIdentified("SIM00000001", "00" * 8, ("SENDS_CROPS",))
    line.device.restart(line.now_ms)
    assert line.run(100)[:2] == [CardOut(1, None, None, p=0.0), ShoeStarted(again=True)]


def test_a_restart_is_not_a_first_start_though_the_first_was_never_heard() -> None:
    first, second = (frame(0, Kind.HELLO, b"SN1", bytes(8), 0, 512, boot=boot) for boot in (7, 8))
    left = frame(1, Kind.EDGE, 1, 2, 80, boot=7)
    assert OpenShoe().feed(left + first)[0] == ShoeStarted()
    assert OpenShoe().feed(left + second)[0] == ShoeStarted(again=True)
    assert OpenShoe().feed(first[:9] + b"x" + first[10:] + second)[1] == ShoeStarted(again=True)


def test_a_restarted_reader_that_draws_the_same_boot_id_is_noticed() -> None:
    line = Wire()
    for rank in ("A", "2", "3"):
        line.deal(rank)
    line.run()
    line.device.restart(line.now_ms, line.device.boot)
    line.deal("K")
    events = line.run(5000)
    assert any(isinstance(event, Gap) for event in events)
    assert cards(events) == ["K"]


def beat(boot: int, following: int, unacked: int, status: int = 0) -> bytes:
    """A heartbeat of a device that will number its next event `following`."""
    payload = wire.payload(Kind.HEARTBEAT, status, 30, 0, unacked)
    return wire.frame(Kind.HEARTBEAT, payload, flags=0, boot=boot, seq=following, t_ms=5)


def test_a_phantom_of_another_boot_does_not_deal_old_cards_again() -> None:
    card = frame(1, Kind.CARD, 1, *ACE_OF_HEARTS), frame(2, Kind.EDGE, 1, 2, 80)
    events = started(*card, beat(0x1111, 9, 0), beat(BOOT, 3, 1), *card)
    assert events == [CardOut(1, "A", "h", p=1.0)]


def test_a_card_that_comes_again_does_no_harm_when_the_numbers_have_gone_round() -> None:
    edge, shoe = frame(1, Kind.EDGE, 1, 2, 80), OpenShoe()
    shoe.feed(frame(0, Kind.HELLO, b"SN1", bytes(8), 0, 512) + edge + edge)
    for seq in range(2, 0x10001):
        shoe.feed(frame(seq % 0x10000, Kind.LID, seq % 2))
    last = shoe.feed(frame(1, Kind.EDGE, 2, 2, 80) + frame(2, Kind.CARD, 2, *ACE_OF_HEARTS))
    assert cards(last)[-1] == "A"


def test_a_program_that_starts_late_takes_up_what_nobody_acknowledged() -> None:
    line = Wire()
    line.deal("A")
    line.run()
    line.cut_off = True
    line.deal("2")
    line.run(100)
    line.cut_off, line.shoe = False, OpenShoe()
    assert cards(line.run(1500)) == ["2"]


def test_a_reader_in_test_mode_deals_no_real_cards() -> None:
    line = Wire(test_mode=True)
    line.deal("A")
    assert line.run() == [InTestMode()]
    allowed = Wire(OpenShoe(OpenShoeOptions(test_mode=True)), test_mode=True)
    allowed.deal("A")
    assert cards(allowed.run()) == ["A"]


def test_a_picture_is_named_by_the_host() -> None:
    seen: list[Crop] = []

    def namer(crop: Crop) -> Name:
        seen.append(crop)
        return Name("9", "c", 0.999)

    line, crop = Wire(OpenShoe(namer=namer)), Crop(20, 30, bytes(range(200)) * 3)
    line.device.picture(line.device.leave(0), *crop, now_ms=0)
    assert line.run()[-1] == CardOut(1, "9", "c", p=0.999)
    assert seen == [crop]


def test_a_picture_that_nobody_can_read_is_an_unread_card() -> None:
    line = Wire()
    line.device.picture(line.device.leave(0), 4, 4, bytes(16), 0)
    assert cards(line.run()) == [None]


def test_a_command_is_carried_out_once_and_answered() -> None:
    line = Wire(OpenShoe(OpenShoeOptions(commands=frozenset({"lock"}))))
    line.run()
    line.cut_off = True
    line.shoe.request(ShoeCommand("lock"))
    line.run(300)
    line.cut_off = False
    assert line.run(600) == [CommandAnswered("lock", "")]
    assert line.device.commands == [(1, 0)]


def test_a_command_without_an_answer_is_given_up() -> None:
    line = Wire(OpenShoe(OpenShoeOptions(commands=frozenset({"self_test"}))))
    line.cut_off = True
    line.shoe.request(ShoeCommand("self_test"))
    assert line.run(2500) == [CommandAnswered("self_test", "NO_ANSWER")]


def test_commands_are_off_unless_allowed() -> None:
    with pytest.raises(DeviceError, match="SHOE_COMMAND_NOT_ALLOWED"):
        OpenShoe().request(ShoeCommand("unlock"))
    with pytest.raises(DeviceError, match="SHOE_COMMAND_UNKNOWN"):
        OpenShoe().request(ShoeCommand("confirm_game"))


def test_ten_thousand_cards_cross_the_end_of_the_sequence_unharmed() -> None:
    line = Wire()
    line.device._next = line.device._unacked = line.device._to_send = 0xFFF0
    line.device._ring.clear()
    dealt: list[str | None] = []
    for rank in ("A", "2", "3", "4", "5") * 4:
        line.deal(rank)
        dealt.append(rank)
    assert cards(line.run(2000)) == dealt


@pytest.mark.parametrize("seed", range(4))
def test_a_line_that_damages_one_byte_in_a_hundred_costs_nothing(seed: int) -> None:
    counts = deal_open(300, 0.01, Random(seed))
    assert counts["right"] == 300
    assert counts["damaged_frames"] > 50


@pytest.mark.parametrize("seed", range(4))
def test_angel_eye_on_such_a_line_says_what_it_lost(seed: int) -> None:
    counts = deal_angel(3000, 0.03, Random(seed))
    assert counts["WRONG_AND_SILENT"] == 0
    assert counts["wrong_and_reported"] > 0


sequenced = st.builds(
    lambda seq, kind, payload: unfit(seq, kind, payload, t_ms=seq),
    st.integers(0, 8),
    st.integers(0, 0x3F),
    st.binary(max_size=24),
)
known = st.integers(1, 8).flatmap(
    lambda seq: st.sampled_from(
        [frame(seq, Kind.EDGE, seq % 4, 2, 9), frame(seq, Kind.CARD, seq % 4, *ACE_OF_HEARTS)]
    )
)
hello = st.just(frame(0, Kind.HELLO, b"SN1", bytes(8), 0, 512))


@given(
    st.lists(st.one_of(hello, known, sequenced, st.binary(max_size=30))).map(b"".join),
    st.lists(st.integers(0, 900)),
)
def test_any_split_gives_the_same_events(data: bytes, places: list[int]) -> None:
    parts = OpenShoe()
    assert OpenShoe().feed(data) == [event for chunk in cut(data, places) for event in parts.feed(chunk)]


@settings(max_examples=200)
@given(st.lists(st.one_of(hello, sequenced, st.binary(max_size=70))))
def test_no_bytes_can_break_it(parts: list[bytes]) -> None:
    shoe = OpenShoe()
    for now_ms, data in enumerate(parts):
        shoe.feed(data)
        shoe.poll(now_ms)
