"""What a witness refuses, over HTTP and at its start, and what a table asks of its witness."""

import http.server
import json
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from controller.config import TableConfig
from controller.journal.head_file import Head, TableKey
from controller.journal.heads import HeadsCheckpoint, HeadSigner, SignedHead, read_checkpoint
from controller.main.doctor import examine
from controller.main.server import HEAD_S
from controller.ports import SystemClock
from drivers.simulated import PtyShoe
from tests.forked_process import Forked
from tests.main.live_kit import Live, play
from tests.main.test_heads_witness import said, verified, witness
from tests.main.test_signing import one_round

HALF: Final = b"POST / HTTP/1.1\r\nHost: witness\r\nContent-Length: 500\r\n\r\n{"


def answered(address: str, head: SignedHead) -> int:
    """The status with which a witness answers a head."""
    try:
        with urlopen(address, head.line(with_nonce=False).encode(), timeout=60) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def signed(folder: Path, key: TableKey, count: int, name: str = "A", first: int = 1) -> list[SignedHead]:
    """The heads of a journal: `count` rounds, one entry each."""
    folder.mkdir(exist_ok=True)
    signer = HeadSigner(folder / f"{name}.journal", "BJ1", key)
    return [
        signer.sign(Head(number, bytes(32)), number, number * 1_000_000, "round")
        for number in range(first, first + count)
    ]


def test_a_witness_signs_no_second_history_under_the_name_of_a_journal(tmp_path: Path) -> None:
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    told, forged = (signed(tmp_path / name, key, 5) for name in ("told", "forged"))
    other = signed(tmp_path / "other", key, 3, "B")
    with witness(tmp_path / "witness", key.public) as (_, address, errors):
        assert [answered(address, head) for head in told] == [200] * 5
        assert [answered(address, head) for head in forged] == [409] * 5
        # A table that lost the answers sends its heads again.
        assert [answered(address, head) for head in told] == [200] * 5
        assert [answered(address, head) for head in other] == [200] * 3
        assert answered(address, signed(tmp_path / "late", key, 9)[-1]) == 409
        assert answered(address, forged[0]) == 409
    assert errors.read_text().count("another history") == 7
    kept = (tmp_path / "witness" / f"{key.public}.signed").read_text().splitlines()
    assert [json.loads(line)["code"] for line in kept] == [head.code for head in (*told, *other)]


def test_a_witness_takes_a_second_day_of_one_file_name_that_names_the_first(tmp_path: Path) -> None:
    """Many houses move the day's file away and begin the next under the configured name."""
    here, kept = tmp_path / "here", tmp_path / "witness"
    here.mkdir()
    key = TableKey.load_or_make(here / "table.key", {}).public
    heads, shoe = kept / f"{key}.signed", PtyShoe()

    async def a_day(live: Live) -> None:
        seen = heads.read_bytes() if heads.exists() else b""
        await one_round(live)
        await live.until(lambda: heads.exists() and heads.read_bytes() != seen)
        assert not {"JOURNAL_KEPT_DIFFERS", "HEADS_NOT_KEPT"} & {*live.holds, *live.alerts}

    try:
        with witness(kept, key) as (own, address, errors):
            sent = {"keep_url": address, "witness_key": own}
            play(here, a_day, {"port": shoe.port}, signing=sent)
            for file in here.glob("table.journal*"):
                file.rename(here / file.name.replace("table", "thursday"))
            play(here, a_day, {"port": shoe.port}, signing=sent)
        assert errors.read_text() == ""
    finally:
        shoe.close()
    for day in ("thursday", "table"):
        given = ("--key", key, "--kept", heads, "--witness", own)
        assert verified(here / f"{day}.journal", *given)[1]["fault"] is None, day


@pytest.mark.parametrize("change", ["cut", "emptied", "gone", "exchanged", "checkpoint too", "all put back"])
def test_a_witness_whose_own_log_was_changed_does_not_start(tmp_path: Path, change: str) -> None:
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    kept, before = tmp_path / "witness", tmp_path / "before"
    with witness(kept, key.public) as (_, address, _):
        heads = signed(tmp_path / "told", key, 5)
        assert answered(address, heads[0]) == 200
        shutil.copytree(kept, before)
        assert [answered(address, head) for head in heads[1:]] == [200] * 4
    log, checkpoint = kept / f"{key.public}.signed", kept / f"{key.public}.checkpoint"
    lines = log.read_bytes().splitlines(keepends=True)
    match change:
        case "cut":
            log.write_bytes(b"".join(lines[:-1]))
        case "emptied":
            log.write_bytes(b"")
        case "gone":
            log.unlink()
        case "exchanged":
            other = signed(tmp_path / "forged", key, 6)
            log.write_text("".join(head.line(with_nonce=False) for head in other))
        case "checkpoint too":
            log.write_bytes(b"".join(lines[:-1]))
            checkpoint.unlink()
        case _:
            shutil.rmtree(kept)
            before.rename(kept)
    status, _, error = said("witness", kept, "--of", key.public, "--look", tmp_path / "told")
    assert status == 2
    assert "has signed for 5 heads" in error


def test_a_witness_whose_log_is_changed_while_it_runs_signs_no_more(tmp_path: Path) -> None:
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    heads = signed(tmp_path / "told", key, 3)
    with witness(tmp_path / "witness", key.public) as (_, address, errors):
        assert [answered(address, head) for head in heads[:2]] == [200] * 2
        (tmp_path / "witness" / f"{key.public}.signed").write_bytes(b"")
        assert answered(address, heads[2]) == 503
        assert "was changed" in errors.read_text()


def test_a_head_that_a_kill_has_torn_off_in_the_log_costs_the_witness_nothing(tmp_path: Path) -> None:
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    heads, kept = signed(tmp_path / "told", key, 3), tmp_path / "witness"
    with witness(kept, key.public) as (_, address, _):
        assert answered(address, heads[0]) == 200
    with (kept / f"{key.public}.signed").open("a") as log:
        log.write(heads[1].line(with_nonce=False)[:100])
    with witness(kept, key.public) as (own, address, errors):
        assert [answered(address, head) for head in heads[1:]] == [200] * 2
    note = read_checkpoint((kept / f"{key.public}.checkpoint").read_text(), own)
    assert note is not None
    assert note.size == 3
    assert errors.read_text() == ""
    with witness(kept, key.public) as (_, address, _):
        assert answered(address, heads[2]) == 200


@contextmanager
def half_sent(address: str, count: int) -> Iterator[list[socket.socket]]:
    """Connections on which a head was begun, and no more is said."""
    place = urlsplit(address)
    with ExitStack() as opened:
        yield [opened.enter_context(_begun(str(place.hostname), int(place.port or 0))) for _ in range(count)]


def _begun(host: str, port: int) -> socket.socket:
    line = socket.create_connection((host, port), timeout=60)
    line.sendall(HALF)
    return line


def test_half_sent_heads_are_given_up_and_a_witness_ends_when_it_is_told_to(tmp_path: Path) -> None:
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    head = signed(tmp_path / "told", key, 1)[0]
    with Forked("witness", tmp_path / "witness", "--of", key.public, "--port", "0") as process:
        try:
            address = [process.stdout.readline().split()[-1] for _ in range(2)][1]
            with half_sent(address, 600) as lines:
                for line in lines:
                    line.settimeout(HEAD_S + 30)
                    assert line.recv(1000)[:12] in (b"", b"HTTP/1.1 408", b"HTTP/1.1 503")
            assert answered(address, head) == 200
            with half_sent(address, 90):
                while len([*Path(f"/proc/{process.pid}/fd").iterdir()]) < 90:
                    time.sleep(0.01)
                asked = time.monotonic()
                process.send_signal(signal.SIGTERM)
                assert process.wait(20) == 0
                assert time.monotonic() - asked < 10
            assert "Traceback" not in process.stderr.read()
        finally:
            process.kill()


class Receiver(http.server.BaseHTTPRequestHandler):
    """Answers each head with 200 and a body of its own choice."""

    answer: str

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = type(self).answer.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal."""


def cosigned(case: str, table: str, own: TableKey, other: TableKey) -> str:
    """What a receiver answers that is no witness, or not this table's."""
    match case:
        case "another's key":
            return HeadsCheckpoint(table, 1, bytes(32)).cosigned(other, 1)
        case "another table":
            return HeadsCheckpoint(other.public, 1, bytes(32)).cosigned(own, 1)
        case "of no head":
            return HeadsCheckpoint(table, 0, bytes(32)).cosigned(own, 1)
        case "yesterday's":
            return HeadsCheckpoint(table, 7, bytes(32)).cosigned(own, 1)
        case _:
            return ""


@pytest.mark.parametrize("case", ["nothing", "another's key", "another table", "of no head", "yesterday's"])
def test_a_table_takes_no_answer_for_kept_that_its_witness_has_not_signed(tmp_path: Path, case: str) -> None:
    own, other = (TableKey.load_or_make(tmp_path / f"{name}.key", {}) for name in ("witness", "other"))
    table = TableKey.load_or_make(tmp_path / "table.key", {}).public
    kind = type("Answers", (Receiver,), {"answer": cosigned(case, table, own, other)})
    shoe = PtyShoe()

    async def story(live: Live) -> None:
        await one_round(live)
        await live.until(lambda: "WITNESS_NOT_SIGNED" in live.alerts)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sent: dict[str, Any] = {"keep_url": f"http://127.0.0.1:{server.server_address[1]}/"}
        try:
            play(tmp_path, story, {"port": shoe.port}, signing={**sent, "witness_key": own.public})
        finally:
            shoe.close()
            server.shutdown()


@pytest.mark.parametrize("key", [None, "ab" * 32])
def test_a_receiver_without_a_witness_key_is_allowed_and_the_doctor_names_it(
    tmp_path: Path, key: str | None
) -> None:
    sent = {"keep_url": "https://house:secret@heads.example/t?token=x", "witness_key": key}
    config = TableConfig.model_validate(
        {
            "table": {"name": "T", "rules": "nl"},
            "journal": {"file": tmp_path / "t.journal"},
            "shoe": {"port": "/dev/null"},
            "signing": sent,
        }
    )
    found = [one for one in examine(config, tmp_path, SystemClock(), 0) if one.check == "signing"]
    assert [(one.level, one.code, one.subject) for one in found] == (
        [("fine", "", "")] if key else [("advice", "RECEIVER_UNSIGNED", "https://heads.example/t")]
    )
