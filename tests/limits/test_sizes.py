"""Sizes and counts that a stranger would like to choose: each has a limit, and is told when it is met."""

import json
import resource
import select
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_kit import Served
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from controller.main import server as page_server
from controller.web import guard, routes
from tests.limits.raw_http import request, send
from tests.limits.run_kit import Running

CHIP = {"do": "chip", "box": 1, "seat": 0, "chip": "5.00"}
MANY = 100_000_000
UNKNOWN = b"GET /api/catalogue/xx HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as running:
        yield running


def memory_mb(pid: int | str = "self") -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return float(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) / 1024


def test_a_body_that_is_announced_too_long_is_refused_before_it_comes(served: Served) -> None:
    head = request("/api/commands", b"", served.host, Content_Length=str(MANY))
    status, said = send(served.port, head)
    assert (status, json.loads(said)["code"]) == (413, "refused.REQUEST_TOO_LARGE")
    assert served.command(CHIP)[0] == 200


def test_the_answer_reaches_who_goes_on_sending(served: Served) -> None:
    """A line closed with bytes unread is reset, and the reset overtakes the answer."""
    length = 3_000_000
    with socket.create_connection(("127.0.0.1", served.port), 20) as line:
        line.sendall(request("/api/commands", b"", served.host, Content_Length=str(length)))
        assert select.select([line], [], [], 20)[0], "answered before the body"
        line.sendall(b" " * length)
        assert b" 413 " in line.recv(65536)


def test_100_mb_in_chunks_cost_no_memory_and_stop_nobody(tmp_path: Path) -> None:
    with Running(tmp_path) as running:
        running.state()
        before = memory_mb(running.process.pid)
        head = request("/api/commands", b"", f"127.0.0.1:{running.port}", Content_Length="")
        head = head.replace(b"Connection: close", b"Transfer-Encoding: chunked")
        chunk = b"100000\r\n" + b" " * 2**20 + b"\r\n"
        begun = time.monotonic()
        status, _ = send(running.port, head + chunk * 100, timeout_s=60)
        assert status in {0, 413}, "an answer, or a line that was closed while we still sent"
        assert running.command({"do": "freeze", "note": ""})[0] == 200
        assert time.monotonic() - begun < 30
        assert memory_mb(running.process.pid) - before < 50


def test_a_body_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard.BodyLimit.__init__, "__defaults__", (guard.BODY_MAX, 0.3))
    with Served(tmp_path) as served:
        head = request("/api/commands", b"", served.host, Content_Length="10")
        status, said = send(served.port, head)
        assert (status, json.loads(said)["code"]) == (408, "refused.REQUEST_TOO_SLOW")


@pytest.mark.parametrize("part", [b"", b"G", b"GET /api/state HTTP/1.1\r\nHost: x"])
def test_a_connection_that_says_nothing_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: bytes
) -> None:
    monkeypatch.setattr(page_server, "HEAD_S", 0.3)
    with Served(tmp_path) as served:
        assert send(served.port, part, timeout_s=20) == (0, b"")
        assert served.command(CHIP)[0] == 200


def test_a_second_request_on_a_line_has_to_come_whole_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_server, "HEAD_S", 1.0)
    with Served(tmp_path) as served:
        first = f"GET /api/catalogue/en HTTP/1.1\r\nHost: {served.host}\r\n\r\n".encode()
        status, _ = send(served.port, first + b"GET / HT", timeout_s=20)
        assert status == 200


def test_more_connections_than_there_may_be_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_server, "CONNECTIONS_MAX", 5)
    with Served(tmp_path) as served:
        idle = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(5)]
        try:
            refused = wait_for_status(served.port, 503)
            assert json.loads(refused)["code"] == "refused.TOO_MANY_CONNECTIONS"
        finally:
            for line in idle:
                line.close()
        wait_for_status(served.port, 404)
        assert served.command(CHIP)[0] == 200


def wait_for_status(port: int, wanted: int) -> bytes:
    """What the server says with this status; the connections before may not all be counted yet."""
    for _ in range(200):
        status, said = send(
            port, b"GET /api/catalogue/xx HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        )
        if status == wanted:
            return said
        time.sleep(0.05)
    raise AssertionError(status)


def test_more_screens_than_there_may_be_are_answered(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "SOCKETS_MAX", 2)
    url = f"ws://{served.host}/ws"
    with (
        connect(url, additional_headers=served.looking) as one,
        connect(url, additional_headers=served.looking) as two,
    ):
        assert json.loads(one.recv())["type"] == json.loads(two.recv())["type"] == "hello"
        with pytest.raises(InvalidStatus) as refused, connect(url, additional_headers=served.looking):
            pass
        assert refused.value.response.status_code == 503
    for _ in range(100):
        try:
            with connect(url, additional_headers=served.looking) as again:
                assert json.loads(again.recv())["type"] == "hello"
            break
        except InvalidStatus:
            time.sleep(0.05)
    else:
        raise AssertionError("a screen that has gone leaves its place")


def test_whatever_a_screen_says_it_gets_the_table_and_not_in_a_flood(served: Served) -> None:
    with connect(f"ws://{served.host}/ws", compression=None, additional_headers=served.looking) as screen:
        for message in ("x", b"\x00\xff", "\u00e4" * 1000) * 30:
            screen.send(message)
        begun, snapshots = time.monotonic(), 0
        while time.monotonic() - begun < 1.0:
            snapshots += json.loads(screen.recv(timeout=60))["type"] == "snapshot"
        assert 1 <= snapshots <= 15
    with connect(f"ws://{served.host}/ws", additional_headers=served.looking) as screen:
        screen.send("x" * 5000)
        with pytest.raises(ConnectionClosed):
            hear_to_the_end(screen)
    assert served.command(CHIP)[0] == 200


def hear_to_the_end(screen: ClientConnection) -> None:
    while True:
        screen.recv(timeout=60)


def test_equal_freezes_are_one_hold_and_many_notes_have_an_end(served: Served) -> None:
    for _ in range(50):
        assert served.command({"do": "freeze", "note": ""})[0] == 200
    assert len(served.now.holds) == 1
    said = [served.command({"do": "freeze", "note": f"note {number}"}) for number in range(50)]
    assert [status for status, _ in said] == [200] * 15 + [409] * 35
    assert said[-1][1]["code"] == "refused.NOTES_FULL"
    assert len(served.now.holds) == 16


def test_descriptors_used_up_are_logged_once_and_the_table_goes_on(tmp_path: Path) -> None:
    """With fewer descriptors than connections are let in: the operating system refuses before we do."""
    with Running(tmp_path) as running:
        running.state()
        used = len(list(Path(f"/proc/{running.process.pid}/fd").iterdir()))
        resource.prlimit(running.process.pid, resource.RLIMIT_NOFILE, (used + 20, used + 20))
        lines = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(100)]
        time.sleep(3)
        assert running.process.poll() is None
        log = running.log()
        for line in lines:
            line.close()
        assert running.command({"do": "freeze", "note": ""})[0] == 200
        assert log.count("\n") < 200, log[:3000]
