"""Frames of the Angel Eye line are found in any stream, and nothing else is taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.shoe.angel_eye import (
    ENQ,
    NAK_CODES,
    STX,
    AngelFrame,
    AngelReply,
    BccMode,
    FrameParser,
    encode,
)
from drivers.shoe.reader import LineFault
from drivers.simulated import ChecksumRule, frame
from tests.drivers.drivers_kit import cut

CARD = frame(b"\x05", b"1D\x81\x81", "without_start")
bodies = st.binary(min_size=1, max_size=12).map(lambda raw: bytes(byte | 0x20 for byte in raw))


def in_frame(body: bytes, check: ChecksumRule = "without_start") -> bytes:
    return frame(b"\x05", body, check)


noisy = st.lists(st.one_of(bodies.map(in_frame), st.binary(max_size=20), st.just(b"\x06"))).map(b"".join)


def codes(data: bytes, mode: BccMode = "without_start") -> list[str]:
    return [piece.code for piece in FrameParser(mode).feed(data) if isinstance(piece, LineFault)]


def frames(data: bytes, mode: BccMode = "without_start") -> list[bytes]:
    return [piece.body for piece in FrameParser(mode).feed(data) if isinstance(piece, AngelFrame)]


def test_the_published_lock_command_fits_with_the_start_byte() -> None:
    assert encode(STX, b"OPLK02", "with_start") == bytes.fromhex("02 4F 50 4C 4B 30 32 03") + b"1B"
    assert encode(STX, b"OPLK02", "without_start").endswith(b"19")


@pytest.mark.parametrize("mode", ["without_start", "with_start"])
def test_each_check_refuses_the_other_one(mode: ChecksumRule) -> None:
    other: ChecksumRule = "with_start" if mode == "without_start" else "without_start"
    assert frames(in_frame(b"1P", mode), mode) == [b"1P"]
    assert codes(in_frame(b"1P", other), mode) == ["BCC_WRONG"]


def test_an_ignored_check_takes_both() -> None:
    both = in_frame(b"1P", "with_start") + in_frame(b"2P")
    assert frames(both, "ignored") == [b"1P", b"2P"]


@pytest.mark.parametrize("place", range(1, 5))
def test_one_wrong_byte_is_one_lost_copy(place: int) -> None:
    broken = bytearray(CARD)
    broken[place] ^= 0x40
    assert frames(bytes(broken) + CARD) == [b"1D\x81\x81"]


def test_a_lost_end_does_not_eat_the_next_frame() -> None:
    assert frames(CARD[:4] + CARD) == [b"1D\x81\x81"]
    assert codes(CARD[:4] + CARD) == ["TRUNCATED"]
    assert frames(CARD[:-1] + CARD) == [b"1D\x81\x81"]
    assert codes(CARD[:-1] + CARD) == ["BCC_MISSING"]


def test_a_control_character_ends_a_frame_at_once() -> None:
    assert FrameParser().feed(CARD[:4] + b"\x06") == [LineFault("TRUNCATED", CARD[:4]), AngelReply("")]
    assert codes(CARD[:4] + b"\x00") == ["TRUNCATED"]


def test_an_endless_frame_is_given_up() -> None:
    stream = bytes((ENQ,)) + b"x" * 40 + CARD
    assert frames(stream) == [b"1D\x81\x81"]
    assert codes(stream)[0] == "TOO_LONG"


def test_noise_between_frames_is_reported_and_passed_over() -> None:
    pieces = FrameParser().feed(b"\x00noise" + CARD)
    assert pieces == [LineFault("NOISE", b"\x00noise"), AngelFrame(ENQ, b"1D\x81\x81")]


def test_answers_carry_their_meaning() -> None:
    assert FrameParser().feed(b"\x06") == [AngelReply("")]
    for code, name in NAK_CODES.items():
        assert FrameParser().feed(bytes((0x15, code))) == [AngelReply(name)]


def test_a_false_answer_does_not_eat_a_frame() -> None:
    assert frames(b"\x15" + CARD) == [b"1D\x81\x81"]


def test_a_frame_without_body_says_nothing() -> None:
    assert codes(in_frame(b"")) == ["EMPTY"]


@given(noisy, st.lists(st.integers(0, 400)))
def test_any_split_gives_the_same(data: bytes, places: list[int]) -> None:
    whole, parts = FrameParser(), FrameParser()
    assert whole.feed(data) == [piece for chunk in cut(data, places) for piece in parts.feed(chunk)]


@given(st.binary(max_size=300))
def test_after_any_bytes_two_frames_are_enough_to_be_in_step(data: bytes) -> None:
    assert frames(data + CARD + CARD)[-1] == b"1D\x81\x81"
