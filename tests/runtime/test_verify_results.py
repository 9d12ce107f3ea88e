"""`stand17 verify` on real journals of the table: what was tampered with is named, and no card is printed."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from typer.testing import CliRunner

from controller.acts.catalogue import CardSeen, Correct, End
from controller.cli.application import build
from controller.journal.entry import GENESIS, Entry, digest
from tests.runtime.runtime_kit import DEAL, ENDING, OPENING, Bench


def played(path: Path) -> None:
    """Two rounds: the first settles and is corrected, the second stops with a card face down."""

    async def story() -> None:
        async with Bench(path) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)
            await bench.say(*ENDING)
            await bench.say(Correct(1, None, "9", "s", "p7", "misread"), End())
            await bench.say(*OPENING)
            await bench.shoe(*DEAL[:3], CardSeen("4", "h", by="shoe"))

    asyncio.run(story())


def verify(path: Path, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(build("verify"), ["verify", str(path), *options])
    return done.exit_code, done.output


def rewrite(path: Path, change: Callable[[Entry], Entry | None]) -> None:
    """Tamper as somebody who knows the format: change entries and chain all of them anew."""
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER event_no_update; DROP TRIGGER event_no_delete")
    entries = [Entry(*row) for row in connection.execute("SELECT * FROM event ORDER BY seq")]
    connection.execute("DELETE FROM event")
    head, seq = GENESIS, 0
    for entry in entries:
        changed = change(entry)
        if changed is None:
            continue
        seq += 1
        linked = changed._replace(seq=seq, prev_hash=head)
        head = digest(linked)
        connection.execute("INSERT INTO event VALUES (?,?,?,?,?,?,?,?,?,?)", linked._replace(hash=head))
    connection.close()
    Path(f"{path}.head").unlink()


def test_an_untouched_journal_fits(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    played(path)
    status, said = verify(path)
    assert status == 0
    assert "Everything fits" in said
    status, said = verify(path, "--json")
    report = json.loads(said)
    assert status == 0
    assert report["ok"] is True
    assert report["rounds"] == 2
    assert report["misfit"] is None


def test_the_report_tells_no_card(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    played(path)
    for options in ((), ("--json",)):
        _, said = verify(path, *options)
        assert "rank" not in said
        assert "4h" not in said


def test_a_settlement_paid_differently_is_named_though_the_chain_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    played(path)
    tampered: list[int] = []

    def more(entry: Entry) -> Entry:
        if entry.kind == "settled" and not tampered:
            tampered.append(entry.seq)
            return entry._replace(body=entry.body.replace(b'"returned":1000', b'"returned":9000'))
        return entry

    rewrite(path, more)
    status, said = verify(path, "--json")
    assert status == 1
    assert json.loads(said)["misfit"] == {"seq": tampered[0], "code": "EVIDENCE_DIFFERS"}


@pytest.mark.parametrize(
    ("kind", "code"),
    [("adjusted", "EVIDENCE_DIFFERS"), ("opened", "NOT_OPENED"), ("settled", "EVIDENCE_MISSING")],
)
def test_an_entry_left_out_is_noticed(tmp_path: Path, kind: str, code: str) -> None:
    path = tmp_path / "t.journal"
    played(path)
    dropped: list[int] = []

    def leave_out(entry: Entry) -> Entry | None:
        if entry.kind == kind and not dropped:
            dropped.append(entry.seq)
            return None
        return entry

    rewrite(path, leave_out)
    status, said = verify(path, "--json")
    assert status == 1
    assert json.loads(said)["misfit"] == {"seq": dropped[0], "code": code}


def test_a_card_exchanged_in_the_facts_shows_in_the_settlement(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    played(path)

    def exchange(entry: Entry) -> Entry:
        return entry._replace(body=entry.body.replace(b'"rank":"8"', b'"rank":"2"'))

    rewrite(path, exchange)
    status, said = verify(path)
    assert status == 1
    assert "does not fit" in said


def test_a_card_changed_in_the_file_is_named_by_its_entry(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    played(path)
    path.write_bytes(path.read_bytes().replace(b'"rank":"7"', b'"rank":"6"'))
    status, said = verify(path, "--json")
    assert status == 1
    assert json.loads(said)["misfit"] == {"seq": 7, "code": "HASH"}


def test_what_is_no_journal_is_exit_status_2(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("five of hearts")
    assert verify(path)[0] == 2
    assert verify(tmp_path / "none.journal")[0] == 2
    status, said = verify(path, "--json")
    assert status == 2
    assert json.loads(said)["code"] == "NOT_A_JOURNAL"


def test_without_the_side_file_the_report_says_that_nothing_vouches_for_the_end(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    played(path)
    assert "side file is missing" not in verify(path)[1]
    for note in tmp_path.glob("*.head"):
        note.unlink()
    status, said = verify(path)
    assert status == 0
    assert "side file is missing" in said
    assert json.loads(verify(path, "--json")[1])["vouched"] is False
