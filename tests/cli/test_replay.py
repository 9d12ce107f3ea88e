"""`stand17 replay` as a tester calls it: a process, its output, its exit status."""

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controller.feed.replay import load_expected
from controller.people.store import PeopleFile
from controller.validation import MalformedLine
from tests.forked_process import command
from vision.enrolment.named_indices import load_labels

PROGRAM = [sys.executable, "-c", "from controller.cli import main; main()"]
HEADER = {"feed": 1, "table": "BJ1", "rules": "spielbank", "rule_overrides": {}, "currency": "EUR"}
WIN: list[dict[str, Any]] = [
    {"obs": "bet", "box": 1, "seat": 0, "stake": 400},
    *({"obs": "card", "rank": rank, "suit": None} for rank in ("10", "9", "9", "8")),
    {"obs": "decision", "box": 1, "hand": 1, "action": "stand"},
    {"obs": "reveal"},
]


class Printed(NamedTuple):
    """How a replay ended, and the bytes that it printed."""

    returncode: int
    stdout: bytes
    stderr: bytes


def run(*arguments: str, data: bytes = b"") -> Printed:
    done = command("replay", *arguments, data=data)
    return Printed(done.returncode, done.stdout.encode(), done.stderr.encode())


def feed_bytes(observations: list[dict[str, Any]], **header: Any) -> bytes:
    lines = [{**HEADER, **header}, *({"t": float(n), **obs} for n, obs in enumerate(observations))]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def write(path: Path, observations: list[dict[str, Any]], **header: Any) -> str:
    path.write_bytes(feed_bytes(observations, **header))
    return str(path)


def objects(result: Printed) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_clean_feed_settles_and_sums_up(tmp_path: Path) -> None:
    result = run("--json", "--strict", write(tmp_path / "a.feed.jsonl", WIN))
    assert result.returncode == 0
    settled, summary = objects(result)
    assert settled["feed"] == "a.feed.jsonl"
    assert (settled["status"], settled["bets"][0]["returned"]) == ("settled", 800)
    assert summary == {
        "type": "summary",
        "feeds": 1,
        "rounds": 1,
        "settled": 1,
        "voided": 0,
        "disputed": 0,
        "refused": 0,
        "alerts": 0,
        "staked": 400,
        "returned": 800,
    }


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_standard_input_is_a_feed(packed: bool) -> None:
    data = feed_bytes(WIN)
    result = run("--json", "-", data=gzip.compress(data) if packed else data)
    assert result.returncode == 0
    assert objects(result)[0]["feed"] == "-"


def test_strict_fails_on_a_refusal_and_names_it(tmp_path: Path) -> None:
    feed = write(tmp_path / "a.feed.jsonl", [{"obs": "bet", "box": 9, "seat": 0, "stake": 400}, *WIN])
    assert run("--json", feed).returncode == 0
    result = run("--json", "--strict", feed)
    assert result.returncode == 1
    refused = objects(result)[0]
    assert (refused["type"], refused["line"], refused["obs"]) == ("refused", 2, "bet")
    assert "9" in refused["message"]


def test_a_malformed_line_is_named_and_the_next_feed_still_plays(tmp_path: Path) -> None:
    broken = write(tmp_path / "broken.feed.jsonl", [*WIN, {"obs": "card", "rank": "11", "suit": None}])
    result = run("--json", broken, write(tmp_path / "good.feed.jsonl", WIN))
    assert result.returncode == 2
    assert b"broken.feed.jsonl:9" in result.stderr
    assert b"rank" in result.stderr
    assert [line["feed"] for line in objects(result)[:-1]] == ["broken.feed.jsonl", "good.feed.jsonl"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no json\n",
        b"[1]\n",
        b'{"obs":"end"}\n',
        b'{"feed":2,"rules":"nl"}\n',
        b'{"feed":1,"rules":"casino"}\n',
        b'{"feed":1,"rules":"nl","rule_overrides":{"boxen":3}}\n',
        b'{"feed":1,"rules":"nl","rule_overrides":{"boxes":"three"}}\n',
        b"\x1f\x8b\x08\x00cut",
        b"\xff\xfe\x00",
    ],
    ids=["empty", "text", "list", "headless", "version", "house", "field", "value", "cut-gzip", "bytes"],
)
def test_what_is_no_feed_is_a_sentence_and_exit_2(data: bytes) -> None:
    result = run("-", data=data)
    assert result.returncode == 2
    assert result.stderr.startswith(b"-:") or b"-" in result.stderr[:3]
    assert b"Traceback" not in result.stderr
    assert b"error." not in result.stderr


BET: bytes = b'{"t":1,"obs":"bet","box":1,"seat":0,"stake":400}\n'
FIRST: bytes = b'{"feed":1,"table":"T","rules":"nl","currency":"EUR","started_at":"2026-11-20T19:00:00Z"}\n'
STRICTLY: dict[str, tuple[bytes, int, bytes]] = {
    "stake": (FIRST + BET.replace(b"400", b'400,"stake":40000'), 2, b"stake stands twice"),
    "rules": (FIRST.replace(b'"nl"', b'"nl","rules":"de"') + BET, 1, b"rules stands twice"),
    "by": (FIRST + BET + BET.replace(b"400", b'400,"by":"dealer","by":"pit"'), 3, b"by stands twice"),
    "seats": (FIRST + b'{"obs":"close","x":[{"0":1,"0":2}]}\n', 2, b"0 stands twice"),
    "escaped": (FIRST + BET.replace(b"400", b'400,"st\\u0061ke":500'), 2, b"stake stands twice"),
    "half": (FIRST + BET.replace(b"400", b'400,"by":"dealer:\\ud800"'), 2, b"half of a character"),
    "zone": (FIRST.replace(b"00Z", b"00") + BET, 1, b"a time with its zone"),
    "latin": (FIRST + '{"obs":"note","text":"déjà"}\n'.encode("latin-1"), 2, b"looks like Latin-1"),
    "utf16": ((FIRST + BET).decode().encode("utf-16"), 1, b"looks like UTF-16"),
    "text": (FIRST + BET.replace(b"400", b'"400"'), 2, b'stake cannot be "400"'),
    "version": (FIRST.replace(b'"feed":1', b'"feed":"1"') + BET, 1, b'feed cannot be "1"'),
    "nan": (FIRST + BET.replace(b"400", b"NaN"), 2, b"NaN is no number"),
    "deep": (FIRST + b"[" * 100_000 + b"\n", 2, b"nested too deep"),
    "pays": (FIRST[:-2] + b',"rule_overrides":{"blackjack_pays":[3,0]}}\n' + BET, 1, b"two numbers above 0"),
}


def test_json_is_read_strictly_and_what_is_wrong_is_named(tmp_path: Path) -> None:
    for name, (data, _, _) in STRICTLY.items():
        (tmp_path / f"{name}.feed.jsonl").write_bytes(data)
    result = run(str(tmp_path))
    said = result.stderr.replace(b"\n", b" ")
    assert result.returncode == 2
    for name, (_, line, words) in STRICTLY.items():
        _, found, told = said.partition(f"{name}.feed.jsonl:{line}: ".encode())
        assert found, (name, said)
        assert words in told.split(b".feed.jsonl:")[0], name


def test_labels_people_and_expectations_are_read_as_strictly(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    readers: tuple[tuple[Callable[[], object], bytes], ...] = (
        (
            lambda: load_labels(file),
            b'{"file":"a.jpg","cards":[]}\n{"file":"a.jpg","file":"b.jpg","cards":[]}',
        ),
        (lambda: PeopleFile(file).register(), b'{"people":[],\n"changes":[],"people":[]}'),
        (lambda: load_expected(file), b'{"round":1}\n{"round":1,"bets":[{"box":1,"box":2}]}'),
        (lambda: load_expected(file), b'{"round":1}\n{"round":"one"}'),
    )
    for read, data in readers:
        file.write_bytes(data)
        with pytest.raises(MalformedLine) as wrong:
            read()
        assert wrong.value.where == f"{file}:2"


def test_a_feed_that_does_not_exist_is_a_sentence_and_exit_2() -> None:
    result = run("nowhere.feed.jsonl")
    assert result.returncode == 2
    assert b"nowhere.feed.jsonl" in result.stderr


def test_time_must_not_run_back(tmp_path: Path) -> None:
    path = tmp_path / "a.feed.jsonl"
    path.write_bytes(feed_bytes([]) + b'{"t":5,"obs":"close"}\n{"t":4,"obs":"end"}\n')
    result = run(str(path))
    assert result.returncode == 2
    assert b"a.feed.jsonl:3" in result.stderr


def test_an_expectation_is_met_or_its_difference_named(tmp_path: Path) -> None:
    feed = write(tmp_path / "a.feed.jsonl", WIN)
    expectation = tmp_path / "expect.jsonl"
    expectation.write_bytes(run("--json", feed).stdout)
    assert run("--expect", str(expectation), feed).returncode == 0
    expectation.write_bytes(expectation.read_bytes().replace(b'"returned":800', b'"returned":900'))
    result = run("--expect", str(expectation), feed)
    assert result.returncode == 1
    assert b"box 1 is due 8.00 EUR, expected 9.00 EUR" in result.stdout
    expectation.write_text('{"round": 1, "bets": [{"box": 2, "seat": 0, "returned": 500}]}')
    told = run("--expect", str(expectation), feed).stdout
    assert b"box 1 is due 8.00 EUR, expected nothing" in told
    assert b"box 2 is due nothing, expected 5.00 EUR" in told


def test_an_open_round_is_told_at_the_end_of_the_feed(tmp_path: Path) -> None:
    result = run("--json", write(tmp_path / "a.feed.jsonl", WIN[:-1]))
    told = objects(result)[0]
    assert (told["status"], told["dealer"]["cards"]) == ("open", ["9"])


def test_a_rule_file_is_found_beside_the_feed(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('base = "spielbank"\nstake_min = 100\n')
    bets = [{**WIN[0], "stake": 100}, *WIN[1:]]
    result = run("--json", "--strict", write(tmp_path / "a.feed.jsonl", bets, rules="own.toml"))
    assert result.returncode == 0


def test_the_account_is_readable_without_colours(tmp_path: Path) -> None:
    result = run(write(tmp_path / "a.feed.jsonl", WIN))
    assert "10 9 = 19 win 4.00 -> 8.00  net +4.00" in result.stdout.decode()
    assert b"\x1b" not in result.stdout


def test_real_time_takes_its_time(tmp_path: Path) -> None:
    result = run("--json", "--speed", "100", write(tmp_path / "a.feed.jsonl", WIN))
    assert result.returncode == 0
    assert run("--speed", "fast", write(tmp_path / "b.feed.jsonl", WIN)).returncode == 2


def test_ctrl_c_ends_a_command_without_a_word() -> None:
    # As from a terminal, also where the tests run in a shell's background, which hears no Ctrl-C.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    asked = [sys.executable, "-c", heed + PROGRAM[-1], "replay", "-"]
    streams = subprocess.PIPE
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(asked, stdin=streams, stdout=streams, stderr=streams, env=usual) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(feed_bytes(WIN))
        process.stdin.flush()
        assert process.stdout.readline() != b"", "it is in the middle of a feed"
        # Again where it was pressed in the moment between two lines: Python hears it with the next one then.
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
        assert process.returncode == 130
        assert process.stderr.read() == b""


FAULT = str(Path(__file__).parents[1] / "feeds" / "faults" / "fr" / "dealer_drew_on_17.feed.jsonl")


def test_at_a_tables_door_a_fault_holds_and_is_counted() -> None:
    result = run("--table", "--json", FAULT)
    lines = objects(result)
    assert [line["code"] for line in lines if line["type"] == "hold"] == ["DEALER_DREW_ON_17"]
    assert [line["by"] for line in lines if line["type"] == "refused"] == ["dealer:replay"]
    assert (lines[-1]["holds"], lines[-1]["inferred"]) == (1, 0)
    assert run("--table", "--strict", FAULT).returncode == 1


def test_without_the_table_the_same_feed_means_what_it_meant() -> None:
    lines = objects(run("--json", FAULT))
    assert {line["type"] for line in lines} & {"hold", "released", "inferred"} == set()
    assert "holds" not in lines[-1]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rule_overrides", "[]"),
        ("rule_overrides", '""'),
        ("rule_overrides", "false"),
        ("table_options", "[]"),
        ("table_options", '{"shuffle_watch": "yes"}'),
    ],
)
def test_a_header_field_of_another_kind_is_malformed(tmp_path: Path, field: str, value: str) -> None:
    """An empty list is no empty object, and a watch that cannot be read is not switched off in silence."""
    path = tmp_path / "wrong.feed.jsonl"
    path.write_text(f'{{"feed": 1, "rules": "it", "{field}": {value}}}\n', encoding="utf-8")
    result = run("--json", str(path))
    assert result.returncode == 2
    assert f"{path}:1: The field {field}".encode() in result.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"feed": 1, "table": "T", "rules": "it", "table_options": {"later_hand": "guess"}}', "later_hand"),
        ('{"feed": 1, "table": "T", "rules": "it", "table_options": {"stand_on_22": true}}', "stand_on_22"),
        ('{"feed": 1, "table": "T", "rules": "it"}\n{"t": 1, "obs": "close", "by": "guest:7"}', "guest:7"),
    ],
)
def test_what_the_door_cannot_read_is_named_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "wrong.feed.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    result = run("--table", str(path))
    assert result.returncode == 2
    assert said.encode() in result.stderr
    assert f"{path}:{len(line.splitlines())}".encode() in result.stderr
