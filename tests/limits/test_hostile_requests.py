"""Words, numbers and names that nobody types: refused, and the table goes on as if nothing had come."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_kit import Served

from controller.journal.checking import verify
from controller.runtime.restore import ResultVerifier
from tests.limits.raw_http import ask, request, send

CHIP = {"do": "chip", "box": 1, "seat": 0, "chip": "5.00"}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as running:
        yield running


def command(served: Served, act: object, **fields: object) -> dict[str, Any]:
    body = {"command_id": "command-1", "expected_seq": served.now.seq, "actor": "D-17", "role": "dealer"}
    return {**body, "session": None, "act": act, **fields}


def deals_on(served: Served, folder: Path) -> None:
    """The table takes the next chip, comes back after a restart, and its journal verifies."""
    assert served.command(CHIP)[0] == 200
    bets = served.now.state.boxes[0].bets
    served.restart()
    assert served.now.state.boxes[0].bets == bets
    assert verify(folder / "table.journal", ResultVerifier(), lambda _: None).ok


@pytest.mark.parametrize(
    "place", [{"seat": -1}, {"seat": 100}, {"box": 0}, {"box": 10**30}, {"seat": 10**400}, {"chip": "9" * 20}]
)
def test_a_chip_that_lies_nowhere_is_refused_and_leaves_no_entry(
    tmp_path: Path, served: Served, place: dict[str, Any]
) -> None:
    before = served.now.seq
    status, _ = ask(served.port, "/api/commands", command(served, {**CHIP, **place}))
    assert status in {409, 422}
    assert [hold.code for hold in served.now.holds] == []
    assert served.now.state.boxes == ()
    assert served.now.seq <= before + 1, "at most the refusal is noted"
    deals_on(served, tmp_path)


RULING = {"obs": "strike", "card": 1, "by": "P", "reason": "x"}
BAD_TEXTS = ("D\n17", "D\x0017", "\ud800", "a\udfffb", "\x1b[31m", "D\u202e17", "D\u202817", "\x7f", "\x85")


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_control_characters_and_half_characters_are_refused_in_every_field(served: Served, text: str) -> None:
    bodies = {
        "actor": command(served, CHIP, actor=text),
        "command_id": command(served, CHIP, command_id=f"command-{text}"),
        "session": command(served, CHIP, session=text),
        "note": command(served, {"do": "freeze", "note": text}),
        "reason": command(served, {"do": "observe", "obs": {**RULING, "reason": text}}),
        "by": command(served, {"do": "observe", "obs": {**RULING, "by": text}}),
        "id": command(served, {"do": "observe", "obs": {"obs": "card", "rank": "A", "id": text}}),
        "name": command(served, {"do": "observe", "obs": {"obs": "device", "name": text, "state": "live"}}),
        "key": command(served, {**CHIP, text: 1}),
    }
    before = served.now.seq
    for field, body in bodies.items():
        status, said = ask(served.port, "/api/commands", body)
        assert (field, status, said["code"]) == (field, 422, "error.REQUEST_WRONG")
        assert text not in json.dumps(said, ensure_ascii=False)
    assert served.now.seq == before
    assert served.command(CHIP)[0] == 200


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_no_session_opens_for_a_name_that_cannot_be_written(served: Served, text: str) -> None:
    assert ask(served.port, "/api/session", {"actor": text, "pin": ""})[0] == 422
    assert ask(served.port, "/api/preview", {"obs": {**RULING, "by": text}}, **served.looking)[0] == 422


@pytest.mark.parametrize(
    "text", [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1", b"9" * 4000, b"9" * 5000, b'"5"', b"true"]
)
def test_a_sight_of_the_table_is_a_number_from_nought(served: Served, text: bytes) -> None:
    body = json.dumps(command(served, CHIP, expected_seq="HERE")).encode().replace(b'"HERE"', text)
    status, said = send(served.port, request("/api/commands", body, served.host))
    assert status in {400, 422}, said
    assert served.now.state.boxes == ()
    assert served.command(CHIP)[0] == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b'"\\ud800"',
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"[" * 60_000,
        b'{"act":' * 900 + b"1" + b"}" * 900,
        b'{"a":' * 5000,
    ],
)
@pytest.mark.parametrize("path", ["/api/commands", "/api/session", "/api/preview"])
def test_what_is_no_request_is_told_so(served: Served, path: str, body: bytes) -> None:
    status, _ = send(served.port, request(path, body, served.host, **served.looking))
    assert status in {400, 422}
    assert served.command(CHIP)[0] == 200


def test_a_body_that_two_readers_would_read_differently_is_refused(served: Served) -> None:
    body = json.dumps(command(served, CHIP)).encode()
    twice = body.replace(b'"seat": 0', b'"seat": 0, "seat": 1')
    for data, field in ((twice, "seat"), (body.decode().encode("utf-16"), "body")):
        status, said = send(served.port, request("/api/commands", data, served.host))
        answer = json.loads(said)
        assert (status, answer["code"], answer["params"]["field"]) == (422, "error.REQUEST_WRONG", field)
    assert served.now.state.boxes == ()


@pytest.mark.parametrize("host", ["[::1", "[", "]", "a:b:c", "[x]", "ex\u00e4mple", "@", "127.0.0.1@evil"])
def test_a_host_that_is_none_is_refused(served: Served, host: str) -> None:
    body = json.dumps(command(served, CHIP)).encode()
    status, _ = send(served.port, request("/api/commands", body, served.host, Host=host))
    assert status == 400
    assert served.now.state.boxes == ()


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "http://]", "null", "http://\u00e4"])
def test_an_origin_that_is_none_is_refused_by_page_and_socket(served: Served, origin: str) -> None:
    body = json.dumps(command(served, CHIP)).encode()
    status, _ = send(served.port, request("/api/commands", body, served.host, Origin=origin))
    assert status == 403
    upgrade = (
        f"GET /ws HTTP/1.1\r\nHost: {served.host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n\r\n"
    )
    assert send(served.port, upgrade.encode())[0] == 403
    assert served.command(CHIP)[0] == 200
