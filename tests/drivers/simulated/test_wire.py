"""The simulated devices' own encoders fit what is published of each protocol, and the drivers read them."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import simulated as angel
from drivers.shoe import open_frames as host
from drivers.shoe.angel_eye import STX, encode
from tests.drivers.far_ends.open_shoe import wire
from tests.drivers.far_ends.text_device import text_line

ROOT: Final = Path(__file__).parents[3]
VECTORS: Final[dict[str, Any]] = json.loads(
    (ROOT / "hardware" / "open-shoe-protocol-vectors.json").read_text(encoding="utf-8")
)
COMMANDS: Final = ["OPLK02", "OPLK01", "OPEC04", "OPGP00"]


def test_the_published_lock_command_has_its_published_check() -> None:
    assert angel.frame(b"\x02", b"OPLK02", "with_start") == bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_simulated_shoe_reads_the_drivers_commands_however_they_are_cut(command: str) -> None:
    data = encode(STX, command.encode(), "with_start")
    for cut in range(len(data)):
        reader = angel.CommandReader("with_start")
        heard = reader.take(b"\x06" + data[:cut]) + reader.take(data[cut:])
        assert heard == [angel.HostCommand(command, False)]


def test_a_command_with_another_check_is_damaged() -> None:
    data = encode(STX, b"OPLK02", "with_start")
    assert angel.CommandReader("without_start").take(data) == [angel.HostCommand("OPLK02", True)]


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=[vector["name"] for vector in VECTORS["frames"]])
def test_each_vector_of_the_open_protocol_is_made_and_read(vector: dict[str, Any]) -> None:
    payload, data = bytes.fromhex(vector["payload"]), bytes.fromhex(vector["bytes"])
    boot, seq = vector["boot_id"], vector["seq"]
    made = wire.frame(vector["type"], payload, flags=vector["flags"], boot=boot, seq=seq, t_ms=vector["t_ms"])
    assert made == data
    assert wire.host_frame(data[1:-1]) == wire.HostFrame(vector["type"], boot, seq, payload)


@pytest.mark.parametrize("vector", VECTORS["damaged"], ids=[vector["name"] for vector in VECTORS["damaged"]])
def test_no_damaged_vector_is_taken_for_a_frame(vector: dict[str, Any]) -> None:
    """Lengths that do not fit a type are the host's business: the device is only told a few types."""
    if vector["reason"] not in {"LENGTH_WRONG", "TOO_LONG"}:
        assert wire.host_frame(bytes.fromhex(vector["bytes"]).strip(b"\0")) is None


def test_the_check_is_the_one_of_the_specification() -> None:
    assert wire.checksum(b"123456789") == 0x29B1


@pytest.mark.parametrize("kind", list(wire.FrameType))
def test_types_have_the_drivers_numbers(kind: wire.FrameType) -> None:
    assert getattr(host, kind.name) == kind


@given(st.binary(max_size=60))
def test_stuffing_leaves_no_zero_and_is_what_the_driver_undoes(content: bytes) -> None:
    line = wire.stuffed(content)
    assert b"\0" not in line
    assert wire.unstuffed(line) == content == host.cobs_decode(line)


def test_numbers_go_round() -> None:
    assert [wire.steps_ahead(0xFFFE, number) for number in (0xFFFD, 0xFFFE, 0xFFFF, 0, 1)] == [-1, 0, 1, 2, 3]


def test_the_line_of_text_of_the_specification_is_made() -> None:
    assert text_line("KEY", 7, "hit") == b"$KEY,07,hit*25\r\n"
