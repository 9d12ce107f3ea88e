"""Whole conversations of the open shoe protocol, byte for byte, of the firmware and of the driver."""

import json
from typing import Any, Final

import pytest

from drivers.device_driver import DeviceChanged
from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import Gap, ShoeEvent
from tests.hardware.firmware_kit import ROOT, load_firmware
from tests.hardware.test_firmware import NoCamera

SESSIONS: Final[list[dict[str, Any]]] = json.loads(
    (ROOT / "hardware" / "open-shoe-protocol-sessions.json").read_text(encoding="utf-8")
)["sessions"]
Step = dict[str, Any]


class Device:
    """The firmware, moved by the steps of a session."""

    def __init__(self, before: int = 0) -> None:
        """`before`: so many events have been sent and acknowledged already."""
        self.firmware = load_firmware()
        self.start(0xBEEF)
        for _ in range(before):
            self.link.event(self.firmware.frames.LID, b"\0", 0)
        if before:
            self.link.unacked = self.link.to_send = self.link.sent_once = self.link.next

    def start(self, boot: int) -> None:
        self.link = self.firmware.link.Link(boot)
        self.reader = self.firmware.reader.Reader(self.link, b"SN0001234567", bytes(8))
        self.link.status = lambda: (self.reader.status(), 31)

    def send(self, step: Step) -> bytes:
        """Do what happens in this step, and give the bytes."""
        if "restart" in step:
            self.start(step["restart"])
        for sensor, covered, at_us in step.get("edges", ()):
            self.reader.edge(sensor == "outer", bool(covered), at_us, step["t"] * 1000)
        for _ in range(step.get("lids", 0)):
            # This reader has no lid; to the protocol an event is an event.
            self.link.event(self.firmware.frames.LID, b"\1", step["t"])
        return bytes(self.link.outgoing(step["t"]))

    def take(self, data: bytes, now_ms: int) -> None:
        for order in self.link.receive(data, now_ms):
            self.reader.order(order, now_ms * 1000)


class Host:
    """The driver; a reader that counts, and a camera that names nothing."""

    def __init__(self) -> None:
        self.shoe = OpenShoe(camera=NoCamera())

    def take(self, data: bytes, now_ms: int) -> tuple[list[str], bytes]:
        """What it reports, in words, and the bytes that it sends."""
        events = self.shoe.feed(data)
        more, out = self.shoe.poll(now_ms)
        return [words(event) for event in (*events, *more)], out


def words(event: ShoeEvent | DeviceChanged) -> str:
    """An event by name; the lost ones with their number."""
    lost = f" {event.lost}" if isinstance(event, Gap) else ""
    return type(event).__name__ + lost


@pytest.mark.parametrize("session", SESSIONS, ids=[one["name"] for one in SESSIONS])
def test_the_firmware_sends_what_the_session_says(session: dict[str, Any]) -> None:
    device = Device(session.get("before", 0))
    for step in session["steps"]:
        assert device.send(step).hex() == step["device"], step["t"]
        if not step.get("host_lost"):
            device.take(bytes.fromhex(step["host"]), step["t"])


@pytest.mark.parametrize("session", SESSIONS, ids=[one["name"] for one in SESSIONS])
def test_the_driver_answers_and_reports_what_the_session_says(session: dict[str, Any]) -> None:
    host = Host()
    for step in session["steps"]:
        data = b"" if step.get("lost") else bytes.fromhex(step["device"])
        assert host.take(data, step["t"]) == (step["events"], bytes.fromhex(step["host"])), step["t"]
