"""The heads that a running table signs, and where they are kept as they are made."""

import http.server
import json
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.acts.catalogue import Bet, CardSeen, Close, Decision, End, Reveal, TableDay
from controller.config import TableConfig
from controller.journal import keeping as head_keeping
from controller.journal.entry import Entry
from controller.journal.heads import SignedHead, heads_in, heads_path
from controller.journal.keeping import FolderPlace, HttpPlace, PlaceKeeper
from controller.journal.store import JournalReader
from controller.main.trust import key_file
from controller.runtime.api import Resume
from drivers.simulated import PtyShoe
from tests.main.live_kit import Live, play


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes what is posted, once it has refused the first one."""

    bodies: list[bytes]
    refusals: int

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kind = type(self)
        if kind.refusals:
            kind.refusals -= 1
            self.send_error(503)
            return
        kind.bodies.append(body)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def collector() -> Iterator[tuple[str, type[Collector]]]:
    kind = type("Fresh", (Collector,), {"bodies": [], "refusals": 1})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/heads", kind
    server.shutdown()
    server.server_close()


async def one_round(live: Live) -> None:
    """A round by hand, up to the cleared table."""
    if live.holds:
        await live.ask(Resume())
    cards = [CardSeen(rank, "s", by="hand") for rank in ("10", "9", "7", "8")]
    await live.say(Bet(1, 0, 1000), Close(), *cards, Decision(1, 1, "stand"), Reveal())
    await live.say(End())


def test_each_rounds_end_is_signed_and_kept_elsewhere_without_what_would_give_a_card_away(
    tmp_path: Path, collector: tuple[str, type[Collector]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(head_keeping, "RETRY_S", 0.05)
    url, received = collector
    kept = tmp_path / "other disk"
    kept.mkdir()
    shoe = PtyShoe()

    async def story(live: Live) -> None:
        await one_round(live)
        await live.say(TableDay("closed"))
        await live.until(lambda: len(received.bodies) >= 3 and "HEADS_NOT_KEPT" in live.alerts)

    try:
        play(
            tmp_path,
            story,
            {"port": shoe.port},
            signing={"keep_folder": str(kept), "keep_url": url},
        )
    finally:
        shoe.close()
    journal = tmp_path / "table.journal"
    own = [head for head in heads_in(heads_path(journal)) if head is not None]
    assert [(head.number, head.round, head.reason) for head in own] == [
        (1, 1, "start"),
        (2, 1, "round"),
        (3, 2, "close"),
        (4, 2, "close"),
    ]
    hashes = written_hashes(journal)
    assert [head.seals(hashes[head.seq]) for head in own] == [True] * 4
    assert own[-1].seq == max(hashes)
    for path in (heads_path(journal), tmp_path / "table.key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    outside = [head for head in heads_in(kept / "table.journal.signed") if head is not None]
    assert outside == [head._replace(nonce="") for head in own]
    assert all(head.is_genuine for head in outside)
    posted = [json.loads(body) for body in received.bodies]
    assert [told["number"] for told in posted] == [1, 2, 3, 4]
    everything = (kept / "table.journal.signed").read_bytes() + b"".join(received.bodies)
    assert not any(digest.hex().encode() in everything for digest in hashes.values())
    assert not any(head.nonce.encode() in everything for head in own)


def written_hashes(journal: Path) -> dict[int, bytes]:
    reader = JournalReader(journal)
    found = {entry.seq: entry.hash for entry in reader.read() if isinstance(entry, Entry)}
    reader.close()
    return found


def test_a_head_that_says_something_else_is_not_genuine(tmp_path: Path) -> None:
    shoe = PtyShoe()

    async def story(live: Live) -> None:
        await live.until(lambda: heads_path(tmp_path / "table.journal").exists())

    try:
        play(tmp_path, story, {"port": shoe.port})
    finally:
        shoe.close()
    head = next(heads_in(heads_path(tmp_path / "table.journal")))
    assert isinstance(head, SignedHead)
    assert head.is_genuine
    changes: dict[str, Any] = {
        "table": "BJ2",
        "number": 7,
        "seq": 9,
        "round": 3,
        "at_utc_us": 1,
        "reason": "close",
    }
    for name, value in changes.items():
        assert not head._replace(**{name: value}).is_genuine, name
    for name in ("code", "key", "signature"):
        assert not head._replace(**{name: "00" + getattr(head, name)[2:]}).is_genuine, name


def test_a_place_that_is_not_there_is_told_once_and_tried_again(tmp_path: Path) -> None:
    told: list[tuple[str, str]] = []
    first = threading.Event()

    def receive(place: str, error: OSError) -> None:
        told.append((place, str(error.strerror)))
        first.set()

    folder = tmp_path / "not mounted"
    keeper = PlaceKeeper(FolderPlace(folder, tmp_path / "t.journal", "00"), receive, lambda _: None, 0.02)
    keeper.open()
    keeper.offer("one\n")
    assert first.wait(10)
    folder.mkdir()
    keeper.offer("two\n")
    keeper.close()
    assert (folder / "t.journal.signed").read_text().splitlines()[-1] == "two"
    assert told == [(str(folder), "No such file or directory")]


def test_an_address_that_sends_elsewhere_is_not_followed(collector: tuple[str, type[Collector]]) -> None:
    url, received = collector
    received.refusals = 0

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(302)
            self.send_header("Location", url)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    with http.server.HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        with pytest.raises(OSError, match="302"):
            HttpPlace(f"http://127.0.0.1:{server.server_address[1]}/").keep("{}\n")
    assert received.bodies == []


def test_the_key_lies_beside_the_journal_unless_it_is_named(tmp_path: Path) -> None:
    raw = {
        "table": {"name": "T", "rules": "nl"},
        "journal": {"file": tmp_path / "t.journal"},
        "shoe": {"port": "/dev/null"},
    }
    assert key_file(TableConfig.model_validate(raw)) == tmp_path / "table.key"
    named = raw | {"signing": {"key": tmp_path / "k"}}
    assert key_file(TableConfig.model_validate(named)) == tmp_path / "k"
