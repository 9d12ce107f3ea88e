"""`stand17 verify --key` and `stand17 key show`: what a table has signed, checked with its public key."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from controller.acts.catalogue import CardSeen, Close
from controller.cli.application import build
from controller.journal.head_file import TableKey
from controller.journal.heads import heads_in
from controller.runtime.api import Observe, Resume
from tests.runtime.reopening_kit import Day, dealt_day, write_note


def call(command: str, *arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(build(command), [command, *map(str, arguments)], env={"COLUMNS": "200"})
    return done.exit_code, done.stdout


def verify(day: Day, *arguments: object) -> tuple[int, dict[str, Any]]:
    code, told = call("verify", day.path, "--json", *arguments)
    return code, json.loads(told)


@pytest.fixture
def day(tmp_path: Path) -> Day:
    return dealt_day(tmp_path)


@pytest.fixture
def public(day: Day) -> str:
    return TableKey.load_or_make(day.key_file, {}).public


def test_the_key_is_shown_to_be_kept_elsewhere(day: Day, public: str, tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(
        '[table]\nname = "T1"\nrules = "spielbank"\n[journal]\nfile = "table.journal"\n'
        '[shoe]\nport = "/dev/null"\n'
    )
    assert call("key", "show", config) == (0, f"{public}\n")
    shown = tmp_path / "public.pem"
    shown.write_text(call("key", "show", "--pem", config)[1])
    assert "BEGIN PUBLIC KEY" in shown.read_text()
    assert verify(day, "--key", shown)[0] == 0


def test_all_that_a_table_has_written_is_vouched_for_up_to_its_end(day: Day, public: str) -> None:
    code, told = verify(day, "--key", public)
    assert (code, told["ok"]) == (0, True)
    heads = [head for head in heads_in(day.signed) if head is not None]
    assert told["signed"] == {
        "key": public,
        "heads": len(heads),
        "kept": 0,
        "since": 0,
        "witnessed": 0,
        "taken_over": None,
        "seq": told["head"]["seq"],
        "code": heads[-1].code,
        "closed": False,
        "fault": None,
    }
    words = call("verify", day.path, "--key", public)[1]
    assert f"Signed by this key up to entry {told['head']['seq']}" in words
    assert heads[-1].code in words
    running = day.start()
    running.sign("close")
    running.close()
    assert verify(day, "--key", public)[1]["signed"]["closed"] is True


def kept_elsewhere(day: Day) -> Path:
    """As the system log has them, among other lines."""
    kept = day.path.parent / "elsewhere"
    lines = [head.line(with_nonce=False) for head in heads_in(day.signed) if head is not None]
    kept.write_text("".join(["Nov 22 10:00:00 t1 cron: hello\n", *(f"t1 stand17: {line}" for line in lines)]))
    return kept


def test_heads_kept_elsewhere_are_found_beside_the_journal(day: Day, public: str) -> None:
    code, told = verify(day, "--key", public, "--kept", kept_elsewhere(day))
    assert (code, told["signed"]["kept"]) == (0, told["signed"]["heads"])
    other = day.path.parent / "other"
    other.write_text("nothing\n")
    assert verify(day, "--key", public, "--kept", other)[1]["signed"]["fault"]["code"] == "KEPT_NONE"


def faults(day: Day, *arguments: object) -> dict[str, Any]:
    code, told = verify(day, *arguments)
    assert (code, told["ok"]) == (1, False)
    fault: dict[str, Any] = told["signed"]["fault"]
    words = call("verify", day.path, *arguments)[1]
    assert "Everything fits" not in words
    assert f"signed.{fault['code']}" not in words
    return fault


def test_another_key_vouches_for_nothing(day: Day) -> None:
    other = TableKey.load_or_make(day.path.parent / "other.key", {}).public
    assert faults(day, "--key", other) == {"code": "HEAD_FORGED", "line": 1, "seq": 0}


def test_a_journal_written_anew_is_named_by_the_head_that_vouches_for_another(day: Day, public: str) -> None:
    end = day.end().seq
    day.rewrite(end - 1)
    write_note(day, day.end())
    assert call("verify", day.path)[0] == 0
    assert faults(day, "--key", public)["code"] == "HEAD_DIFFERS"


def test_entries_behind_the_last_head_need_the_tables_note(day: Day, public: str) -> None:
    write_note(day, day.end())
    assert faults(day, "--key", public) == {"code": "UNVOUCHED", "line": 0, "seq": day.end().seq}


def test_even_with_the_tables_key_nobody_writes_anew_what_was_kept_elsewhere(day: Day, public: str) -> None:
    kept = kept_elsewhere(day)
    for path in day.path.parent.glob("table.journal*"):
        path.unlink()
    running = day.start()
    running.bet()
    running.sign()
    running.close()
    assert verify(day, "--key", public)[0] == 0
    assert faults(day, "--key", public, "--kept", kept) == {"code": "KEPT_DIFFERS", "line": 2, "seq": 0}


def test_without_its_heads_a_journal_is_not_signed(day: Day, public: str) -> None:
    day.signed.unlink()
    assert faults(day, "--key", public)["code"] == "HEADS_MISSING"


def test_what_is_no_key_is_said(day: Day) -> None:
    code, told = verify(day, "--key", "17")
    assert (code, told["code"]) == (2, "KEY_UNREADABLE")


def test_the_hash_of_the_end_is_not_told_while_a_card_lies_face_down(day: Day, public: str) -> None:
    assert verify(day)[1]["head"]["hash"] == day.end().hash.hex()
    running = day.start()
    running.ask("pit", Resume())
    running.ask("pit", Observe(Close()))
    for rank in ("10", "9", "7", "8", "6", "5"):
        running.ask("pit", Observe(CardSeen(rank, "s", by="hand")))
    assert running.ledger.state.dealer.hole >= 0
    running.close()
    told = verify(day, "--key", public)[1]
    assert told["head"] == {"seq": day.end().seq, "hash": None}
    assert day.end().hash.hex() not in call("verify", day.path, "--key", public)[1]
