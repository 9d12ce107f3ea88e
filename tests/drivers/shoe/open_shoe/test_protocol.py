"""The open shoe protocol: every card once, in order, named or not; what cannot be repaired is a gap."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.domain import DeviceError
from drivers.shoe.open_passages import Crop, ReadName
from drivers.shoe.open_shoe import OpenShoe, OpenShoeOptions
from drivers.shoe.reader import (
    CardOut,
    CardPulledBack,
    CardRepeated,
    CommandAnswered,
    CopiesDiffer,
    CutCardOut,
    DoubleFeed,
    InTestMode,
    LidChanged,
    NotUnderstood,
    ShoeCommand,
    ShoeError,
    ShoeErrorCleared,
    ShoeEvent,
    ShoeIdentified,
    ShoeStarted,
    ShoeValue,
    StatusChanged,
)
from tests.drivers.drivers_kit import cut
from tests.drivers.far_ends.open_shoe import FrameType, wire
from tests.drivers.lossy_line import deal_angel, deal_open
from tests.drivers.shoe.open_shoe.open_shoe_kit import (
    ACE_OF_HEARTS,
    BOOT,
    HELLO,
    Wire,
    beat,
    cards,
    frame,
    started,
    unfit,
)


def test_a_reader_names_itself() -> None:
    events = OpenShoe().feed(frame(0, FrameType.HELLO, b"SN0001", bytes(range(8)), 0b10011, 512))
    assert events == [
        ShoeStarted(),
        ShoeIdentified("SN0001", "0001020304050607", ("SENDS_CROPS", "LOCK", "SUITS")),
    ]


def test_cards_come_in_order_with_their_certainty() -> None:
    line = Wire()
    line.deal("A", "h")
    line.deal("A", "h")
    line.deal(None)
    line.event(FrameType.CUT_CARD, line.device.leave(0))
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
    name, edge = frame(1, FrameType.CARD, 1, *ACE_OF_HEARTS), frame(2, FrameType.EDGE, 1, 2, 80)
    assert started(name) == []
    assert cards(started(name, edge)) == ["A"]


def test_a_card_that_is_never_named_still_counts_before_the_next_one() -> None:
    edges = frame(1, FrameType.EDGE, 1, 2, 80), frame(2, FrameType.EDGE, 2, 2, 80)
    late = frame(3, FrameType.CARD, 1, *ACE_OF_HEARTS)
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
        frame(1, FrameType.CARD, 1, *ACE_OF_HEARTS),
        frame(2, FrameType.REVERSE, 1, 20),
        frame(3, FrameType.CARD, 1, 13, 4, 0xFF ^ 0xD4, 255, 0, 0, 0),
        frame(4, FrameType.EDGE, 1, 2, 80),
    )
    assert started(*data) == [CardPulledBack(), CardOut(1, "K", "s", p=1.0)]


def test_two_names_for_one_card_are_reported() -> None:
    data = (
        frame(1, FrameType.CARD, 1, *ACE_OF_HEARTS),
        frame(2, FrameType.CARD, 1, 13, 4, 0xFF ^ 0xD4, 255, 0, 0, 0),
    )
    assert [type(event) for event in started(*data)] == [CopiesDiffer]


@pytest.mark.parametrize("fields", [(1, 3, 0x00), (14, 0, 0xFF ^ 0xE0), (1, 5, 0xFF ^ 0x15)])
def test_a_card_that_contradicts_itself_is_not_believed(fields: tuple[int, int, int]) -> None:
    events = started(frame(1, FrameType.CARD, 1, *fields, 255, 0, 0, 0))
    assert [type(event) for event in events] == [NotUnderstood]


@pytest.mark.parametrize(
    ("kind", "fields", "event"),
    [
        (FrameType.DOUBLE_FEED, (0, 1), DoubleFeed()),
        (FrameType.LID, (1,), LidChanged(is_open=True)),
        (FrameType.ERROR, (10, 1), ShoeError(10, "CAMERA", stopped=True)),
        (FrameType.CLEARED, (10,), ShoeErrorCleared(10, "CAMERA")),
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


def test_a_reader_in_test_mode_deals_no_real_cards() -> None:
    line = Wire(test_mode=True)
    line.deal("A")
    assert line.run() == [InTestMode()]
    allowed = Wire(OpenShoe(OpenShoeOptions(test_mode=True)), test_mode=True)
    allowed.deal("A")
    assert cards(allowed.run()) == ["A"]


def test_a_card_that_had_left_counts_when_its_reader_starts_in_test_mode() -> None:
    hello = wire.payload(FrameType.HELLO, b"SN1", b"", 0, 512)
    test = wire.frame(FrameType.HELLO, hello, flags=wire.SEQUENCED | wire.TEST, boot=7, seq=0, t_ms=0)
    assert started(frame(1, FrameType.EDGE, 1, 2, 80), test) == [CardOut(1, None, None, p=0.0), InTestMode()]


def test_a_picture_is_named_by_the_host() -> None:
    seen: list[Crop] = []

    def namer(crop: Crop) -> ReadName:
        seen.append(crop)
        return ReadName("9", "c", 0.999)

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
        [frame(seq, FrameType.EDGE, seq % 4, 2, 9), frame(seq, FrameType.CARD, seq % 4, *ACE_OF_HEARTS)]
    )
)
hello = st.just(HELLO)


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


def test_a_setting_needs_no_permission_and_is_answered_by_its_value() -> None:
    shoe = OpenShoe(OpenShoeOptions(first_command=76))
    shoe.feed(HELLO)
    shoe.poll(0)
    shoe.request(ShoeCommand("setting", 5, 27_000))
    sent = [wire.host_frame(line) for line in shoe.poll(10)[1].split(b"\0") if line]
    orders = [(one.kind, one.seq, one.payload.hex()) for one in sent if one and one.kind == 0x24]
    assert orders == [(0x24, 77, "0500006978")]
    answer = unfit(1, 0x10, bytes.fromhex("004d0500006978"))
    assert shoe.feed(answer) == [ShoeValue(5, 27_000)]
    assert shoe.feed(unfit(2, 0x10, bytes.fromhex("004d0500006978"))) == [], "it has been answered"
    assert shoe.poll(500)[1] == wire_ack(3), "and is not sent again"
    assert shoe.allowed == (), "a page has no key for it"


def wire_ack(expected: int) -> bytes:
    return wire.frame(FrameType.ACK, b"", flags=0, boot=BOOT, seq=expected, t_ms=0)


def test_a_setting_that_a_reader_does_not_know_is_given_up() -> None:
    line = Wire(OpenShoe())
    line.run()
    line.shoe.request(ShoeCommand("setting", 5))
    assert CommandAnswered("setting", "NO_ANSWER") in line.run(2600)
