"""The open shoe protocol's frames: the vectors that other firms build against, and any damage."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.shoe import open_frames
from drivers.shoe.open_frames import (
    FramedMessage,
    FrameSplitter,
    cobs_decode,
    cobs_encode,
    crc16,
    encode,
)
from drivers.shoe.reader import LineFault
from tests.drivers.drivers_kit import cut

VECTORS: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parents[4] / "hardware" / "open-shoe-protocol-vectors.json").read_text(encoding="utf-8")
)
ids = [vector["name"] for vector in VECTORS["frames"]]

messages = st.builds(
    FramedMessage,
    st.just(open_frames.CARD),
    st.integers(0, 7),
    st.integers(0, 0xFFFF),
    st.integers(0, 0xFFFF),
    st.integers(0, 0xFFFFFFFF),
    st.binary(min_size=10, max_size=10),
)


def test_the_check_has_its_published_check_value() -> None:
    assert crc16(b"123456789") == 0x29B1 == int(VECTORS["crc"]["check"], 16)


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=ids)
def test_each_vector_is_written_and_read(vector: dict[str, Any]) -> None:
    message = FramedMessage(
        vector["type"],
        vector["flags"],
        vector["boot_id"],
        vector["seq"],
        vector["t_ms"],
        bytes.fromhex(vector["payload"]),
    )
    assert encode(message).hex() == vector["bytes"]
    assert FrameSplitter().feed(bytes.fromhex(vector["bytes"])) == [message]


@pytest.mark.parametrize("vector", VECTORS["damaged"], ids=[v["name"] for v in VECTORS["damaged"]])
def test_each_damaged_vector_is_refused_for_its_reason(vector: dict[str, Any]) -> None:
    (bad,) = FrameSplitter().feed(bytes.fromhex(vector["bytes"]))
    assert isinstance(bad, LineFault)
    assert bad.code == vector["reason"]


@given(st.binary(max_size=60))
def test_cobs_goes_there_and_back_without_a_zero(data: bytes) -> None:
    line = cobs_encode(data)
    assert b"\0" not in line
    assert cobs_decode(line) == data


@given(messages)
def test_every_single_wrong_byte_is_noticed(message: FramedMessage) -> None:
    line = encode(message)
    for place in range(1, len(line) - 1):
        broken = line[:place] + bytes((line[place] ^ 0x55,)) + line[place + 1 :]
        assert message not in FrameSplitter().feed(broken)
        assert all(isinstance(piece, LineFault) for piece in FrameSplitter().feed(broken))


@given(st.lists(st.one_of(messages.map(encode), st.binary(max_size=90))), st.lists(st.integers(0, 900)))
def test_any_split_gives_the_same_frames(parts: list[bytes], places: list[int]) -> None:
    data, whole, split = b"".join(parts), FrameSplitter(), FrameSplitter()
    assert whole.feed(data) == [piece for chunk in cut(data, places) for piece in split.feed(chunk)]


@given(st.binary(max_size=300), messages)
def test_after_any_bytes_the_next_frame_is_read(data: bytes, message: FramedMessage) -> None:
    assert FrameSplitter().feed(data + encode(message))[-1] == message
