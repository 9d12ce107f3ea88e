"""What a command does where its output is not taken: no reader, a full disk, another encoding."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from rich.table import Table

from controller.cli.devices import print_findings
from controller.cli.output import console, echo, error_console
from controller.i18n import LANGUAGES, catalogue, text
from controller.main.doctor import CheckResult
from tests.forked_process import Forked
from tests.forked_process import command as ended
from tests.replay.replay_kit import FEEDS, PROGRAM, Json, call

FEED = FEEDS / "de" / "every_outcome.feed.jsonl"
JOURNAL = FEEDS.parent / "journals" / "release_0.1.0_six_rounds.journal"
ODD: bytes = b"evening-\xff.feed.jsonl"


def run(*arguments: str | bytes | Path, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PROGRAM, *arguments], stderr=subprocess.PIPE, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize(
    "command",
    [
        ("replay", *[FEED] * 52),
        ("replay", "--json", *[FEED] * 52),
        ("replay", "--jobs", "1", *[FEED] * 3),
        ("show", FEED, "--round", "1"),
        ("table", FEED, "-o", "-"),
        ("--help",),
    ],
    ids=lambda words: " ".join(map(str, words[:2])).replace(str(FEED), "FEED"),
)
def test_a_reader_that_wants_no_more_is_told_nothing(command: tuple[str | Path, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as nobody, Forked(*command, stdout=nobody) as told:
        assert (told.wait(), told.stderr.read()) == (141, "")


@pytest.mark.parametrize(
    "command",
    [
        ("replay", FEED),
        ("replay", "--json", FEED),
        ("replay", "--table", FEED),
        ("replay", "--jobs", "1", FEED),
        ("show", FEED, "--round", "1"),
        ("diff", FEED, FEED),
        ("table", FEED, "-o", "-"),
        ("verify", JOURNAL),
        ("verify", JOURNAL, "--json"),
        ("rules", "show", "nl"),
        ("--help",),
    ],
    ids=lambda words: (
        " ".join(map(str, words[:2])).replace(str(FEED), "FEED").replace(str(JOURNAL), "JOURNAL")
    ),
)
def test_a_full_output_is_a_sentence_about_the_output_and_exit_2(command: tuple[str | Path, ...]) -> None:
    told = ended(*map(str, command), out="/dev/full")
    words = told.stderr
    assert told.returncode == 2
    assert "No space left on device" in words
    assert "Traceback" not in words
    assert len(words.splitlines()) == 1
    assert FEED.name not in words


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "0<&- 1>&- 2>&-"])
@pytest.mark.parametrize(
    ("command", "status"),
    [
        (("replay", FEED), 0),
        (("replay", FEED.parent / "no.feed.jsonl"), 2),
        (("show", FEED, "--round", "1"), 0),
        (("verify", JOURNAL), 0),
    ],
    ids=lambda value: str(value[0]) if isinstance(value, tuple) else "",
)
def test_a_closed_stream_is_as_the_null_device(
    command: tuple[str | Path, ...], status: int, closed: str, tmp_path: Path
) -> None:
    """No file of the program takes the number of the stream, and the exit status stays."""
    words = ["sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, *map(str, command)]
    told = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (told.returncode, "Traceback" in told.stderr) == (status, False)


def test_a_closed_standard_input_is_an_empty_feed() -> None:
    words = ["sh", "-c", 'exec "$@" 0<&-', "sh", *PROGRAM, "replay", "-", "--json"]
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.startswith("-:1: The feed is empty")


@pytest.mark.parametrize(
    "options",
    [
        ("replay",),
        ("replay", "--json"),
        ("replay", "--table"),
        ("replay", "--jobs", "1", "--state", "s", "--junit", "j.xml"),
        ("show", "--round", "1"),
        ("show", "--round", "1", "--json"),
        ("diff", FEED),
        ("table", "-o", "-"),
        ("table", "-o", "t.csv"),
        ("shrink", "--when", "due[3]>=0.00"),
        ("books",),
    ],
    ids=lambda words: " ".join(map(str, words[:2])).replace(str(FEED), "FEED"),
)
def test_a_name_that_is_not_utf_8_is_escaped(options: tuple[str | Path, ...], tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(ODD)).write_bytes(FEED.read_bytes())
    told = ended(str(options[0]), os.fsdecode(ODD), *map(str, options[1:]), folder=tmp_path)
    assert told.returncode in (0, 1), told.stderr
    assert "Traceback" not in told.stderr
    for line in told.stdout.splitlines() if "--json" in options else ():
        json.loads(line)


def test_a_terminal_that_knows_latin_1_alone_gets_signs_as_escapes() -> None:
    latin = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    told = run("show", FEED, "--round", "1", stdout=subprocess.PIPE, env=latin)
    assert (told.returncode, told.stderr) == (0, b"")
    told = run("rules", "list", stdout=subprocess.PIPE, env=latin)
    assert told.returncode == 0


def test_two_words_of_a_stream_that_replaces_standard_output_stay_there() -> None:
    """A program that calls the command line in its own process reads what it prints."""
    assert call("show", FEED, "--round", "1").stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_file_one_round_and_one_pack_are_not_said_in_the_plural(language: str) -> None:
    counts = {"files": 1, "rounds": 1, "settled": 1, "voided": 1, "disputed": 1, "refused": 1, "alerts": 1}
    counts |= {"differences": 1, "unreadable": 1}
    many = dict.fromkeys(counts, 2)
    assert text("report.counted", {**counts}, language) != text("report.counted", {**many}, language).replace(
        "2", "1"
    )
    packs = [text("alert.TOO_MANY_OF_A_KIND", {"rank": "A", "decks": n}, language) for n in (1, 2)]
    assert packs[0] != packs[1].replace("2", "1")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_of_the_catalogues_passes_every_printer_unharmed(
    language: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A section such as [on_alert] is a word to a terminal's printer, and no style."""
    monkeypatch.setenv("COLUMNS", "4000")
    sentences = list(catalogue(language).values())
    assert sum("[" in sentence for sentence in sentences) > 20
    table = Table()
    for sentence in sentences:
        table.add_row(sentence)
        echo(sentence)
    printed = [capsys.readouterr().out]
    console().print("\n".join(sentences))
    error_console().print("\n".join(sentences), style="red")
    printed += capsys.readouterr()
    console().print(table)
    printed.append(capsys.readouterr().out)
    assert [harmed(sentences, said) for said in printed] == [[], [], [], []]


def harmed(sentences: list[str], said: str) -> list[str]:
    """The sentences that do not stand there, each behind the one before it."""
    lost, at = [], 0
    for sentence in sentences:
        found = said.find(sentence, at)
        if found < 0:
            lost.append(sentence)
        else:
            at = found + len(sentence)
    return lost


@pytest.mark.parametrize("problem", ["RETIRED_NOTIFY", "RECEIVER_UNSIGNED"])
def test_the_doctor_names_sections_in_brackets(
    problem: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    sentence = text(f"doctor.{problem}")
    assert "[" in sentence
    print_findings([CheckResult("settings", "advice", f"doctor.{problem}")], "en")
    assert sentence in capsys.readouterr().out


def test_one_round_is_one_round(tmp_path: Path) -> None:
    feed = tmp_path / "a.feed.jsonl"
    header: Json = {"feed": 1, "table": "B", "rules": "de", "currency": "EUR"}
    bet: Json = {"obs": "bet", "box": 1, "seat": 0, "stake": 1000}
    feed.write_text("".join(json.dumps(line) + "\n" for line in (header, bet)))
    assert "1 round: 0 settled" in call("replay", feed).stdout
    assert "1 file, 1 round:" in call("replay", "--jobs", "1", feed).stdout


def test_an_amount_unlike_its_chips_is_a_sentence(tmp_path: Path) -> None:
    feed = tmp_path / "a.feed.jsonl"
    header: Json = {"feed": 1, "table": "B", "rules": "de", "currency": "EUR"}
    fill: Json = {
        "obs": "fill",
        "amount": 500,
        "chips": {"100": 4},
        "by": "pit:a",
        "second": "b",
        "slip": "1",
    }
    feed.write_text("".join(json.dumps(line) + "\n" for line in (header, fill)))
    told = call("replay", feed)
    assert told.returncode == 2
    assert "it must be in agreement with the other fields" in told.stderr
    assert "Does not" not in told.stderr


def test_a_double_for_less_is_refused_with_what_the_stake_has_to_be(tmp_path: Path) -> None:
    feed = tmp_path / "a.feed.jsonl"
    lines: list[Json] = [
        {"feed": 1, "table": "B", "rules": "spielbank", "currency": "EUR"},
        {"obs": "bet", "box": 1, "seat": 0, "stake": 1000},
        *({"obs": "card", "rank": rank} for rank in ("5", "9", "6", "9")),
        {"obs": "decision", "box": 1, "hand": 1, "action": "double", "stakes": {"0": 500}},
    ]
    feed.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = call("replay", feed).stdout
    assert "refused SECOND_STAKE: The second stake of box 1 has to be 10.00, neither more nor less." in told
