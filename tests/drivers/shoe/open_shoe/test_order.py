"""The order of the open protocol: what is missing, what comes again, and a reader that starts anew."""

from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import CardOut, Gap, ShoeIdentified, ShoeStarted
from tests.drivers.far_ends.open_shoe import FrameType, wire
from tests.drivers.shoe.open_shoe.open_shoe_kit import (
    ACE_OF_HEARTS,
    BOOT,
    HELLO,
    Wire,
    beat,
    cards,
    frame,
    started,
)

GONE_BEFORE_4 = wire.frame(FrameType.GONE, wire.payload(FrameType.GONE, 4), flags=0, boot=BOOT, seq=5, t_ms=0)


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
    shoe.feed(HELLO + frame(1, FrameType.CARD, 1, *ACE_OF_HEARTS))
    shoe.feed(frame(4, FrameType.EDGE, 1, 2, 80))
    shoe.poll(0)
    assert shoe.feed(GONE_BEFORE_4 + frame(5, FrameType.EDGE, 2, 2, 80)) == [
        Gap("2", "4", 2),
        CardOut(1, None, None, p=0.0),
    ]


def test_each_hole_in_what_is_gone_is_a_gap_of_its_own() -> None:
    """Some of the old messages had come early: what is missing among them still counts."""
    shoe = OpenShoe()
    shoe.feed(HELLO + frame(2, FrameType.CARD, 1, *ACE_OF_HEARTS))
    shoe.feed(frame(4, FrameType.EDGE, 1, 2, 80))
    shoe.poll(0)
    gaps = [Gap("1", "2", 1), Gap("3", "4", 1)]
    events = shoe.feed(GONE_BEFORE_4 + frame(5, FrameType.EDGE, 2, 2, 80))
    assert events == [*gaps, CardOut(1, None, None, p=0.0)]


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
    first, second = (frame(0, FrameType.HELLO, b"SN1", bytes(8), 0, 512, boot=boot) for boot in (7, 8))
    left = frame(1, FrameType.EDGE, 1, 2, 80, boot=7)
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


def test_a_phantom_of_another_boot_does_not_deal_old_cards_again() -> None:
    card = frame(1, FrameType.CARD, 1, *ACE_OF_HEARTS), frame(2, FrameType.EDGE, 1, 2, 80)
    events = started(*card, beat(0x1111, 9, 0), beat(BOOT, 3, 1), *card)
    assert events == [CardOut(1, "A", "h", p=1.0)]


def test_a_card_that_comes_again_does_no_harm_when_the_numbers_have_gone_round() -> None:
    edge, shoe = frame(1, FrameType.EDGE, 1, 2, 80), OpenShoe()
    shoe.feed(HELLO + edge + edge)
    for seq in range(2, 0x10001):
        shoe.feed(frame(seq % 0x10000, FrameType.LID, seq % 2))
    last = shoe.feed(frame(1, FrameType.EDGE, 2, 2, 80) + frame(2, FrameType.CARD, 2, *ACE_OF_HEARTS))
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
