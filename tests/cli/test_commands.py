"""`stand17 run` and `stand17 demo` as processes: they deal, they stop, and they say what is wrong."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from drivers.simulated import PtyShoe
from tests import people_kit
from tests.drivers.far_ends.open_shoe import PtyReader
from tests.forked_process import ROOT, Ended, Forked, command
from tests.replay.replay_kit import PROGRAM

PATIENCE_S = 40.0

CONFIG = """
[table]
name = "BJ1"
rules = "{rules}"
[software]
allow_unreleased = true
[journal]
file = "BJ1.journal"
slow_ms = 5000
[web]
port = {port}
[shoe]
port = "{shoe}"
{more}
"""


def write_config(
    folder: Path, shoe: str = "/dev/null-shoe", *, rules: str = "nl", port: int = 0, more: str = ""
) -> Path:
    path = folder / "table.toml"
    path.write_text(CONFIG.format(rules=rules, port=port, shoe=shoe, more=more), encoding="utf-8")
    people_kit.people_file(folder)
    return path


def call(*arguments: str) -> Ended:
    return command(*arguments, timeout_s=PATIENCE_S)


@contextmanager
def started(*arguments: str) -> Iterator[tuple[Forked, str]]:
    """A running command and the address of its page."""
    with Forked(*arguments) as process:
        try:
            line = next((line for line in process.stdout if "http://" in line), None)
            assert line is not None, process.stderr.read()
            yield process, "http://" + line.split("http://")[1].split("/")[0]
        finally:
            process.kill()


def view(address: str, cookie: str = "") -> dict[str, Any]:
    request = urllib.request.Request(f"{address}/api/state", headers={"Cookie": cookie})
    with urllib.request.urlopen(request, timeout=60) as answer:
        shown: dict[str, Any] = json.load(answer)
        return shown


def sign_in(address: str) -> str:
    """The header of D-17's screen at a live table; the demo needs none."""
    body = {"actor": people_kit.DEALER, "pin": people_kit.PINS[people_kit.DEALER]}
    request = urllib.request.Request(
        f"{address}/api/session", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return str(answer.headers["Set-Cookie"]).partition(";")[0]


def press(address: str, number: int, *, cookie: str = "", **obs: object) -> None:
    body = {
        "command_id": f"press-{number:04}",
        "expected_seq": view(address, cookie)["seq"],
        "role": "dealer",
        "act": {"do": "observe", "obs": obs},
    }
    request = urllib.request.Request(
        f"{address}/api/commands",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Cookie": cookie},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 200


def until(address: str, holds: Any, cookie: str = "") -> dict[str, Any]:
    end = time.monotonic() + PATIENCE_S / 2
    while True:
        shown = view(address, cookie)
        if holds(shown) or time.monotonic() > end:
            assert holds(shown), shown
            return shown
        time.sleep(0.05)


def live(shown: dict[str, Any]) -> bool:
    return any(device["state"] == "live" for device in shown["devices"])


def test_the_demo_deals_and_its_journal_verifies(tmp_path: Path) -> None:
    with started("demo", "--headless", "--port", "0", "--speed", "4", "--keep", str(tmp_path)) as (
        process,
        page,
    ):
        first = until(page, lambda shown: any(box["hands"] for box in shown["boxes"]))
        assert first["mode"] == "simulation"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    checked = call("verify", str(tmp_path / "demo.journal"), "--json")
    assert checked.returncode == 0, checked.stdout
    assert json.loads(checked.stdout)["ok"] is True


def test_the_demo_plays_rounds_to_their_end_and_stores_nothing(tmp_path: Path) -> None:
    done = command(
        *("demo", "--headless", "--port", "0", "--speed", "0", "--rounds", "2", "--rules", "fr"),
        changes={"TMPDIR": str(tmp_path)},
        folder=tmp_path,
        timeout_s=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    assert "SIMULATION" in done.stdout
    *_, first, second, summary = done.stdout.splitlines()
    assert re.fullmatch(r"Round 1: boxes [1-7 ]+, dealer .+ = \d+, win -?[\d,]+\.\d\d, 0 holds", first)
    won = [float(line.split("win ")[1].split(", ")[0].replace(",", "")) for line in (first, second)]
    assert summary == f"2 rounds, the house won {sum(won):,.2f}."
    assert list(tmp_path.iterdir()) == []


def test_the_demo_takes_the_next_port_and_says_so(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        done = call(
            "demo",
            "--headless",
            "--port",
            str(port),
            "--speed",
            "0",
            "--rounds",
            "1",
            "--keep",
            str(tmp_path),
        )
    assert done.returncode == 0
    assert f"Port {port} is taken" in done.stdout
    assert f":{port}/" not in done.stdout


def test_by_hand_the_simulated_dealer_deals_only_what_people_have_asked_for(tmp_path: Path) -> None:
    keep = str(tmp_path)
    with started("demo", "--headless", "--manual", "--port", "0", "--speed", "0", "--keep", keep) as (
        _,
        page,
    ):
        until(page, lambda shown: shown["autoplay"] is False)
        press(page, 1, obs="bet", box=2, seat=0, stake=1000)
        press(page, 2, obs="close")
        dealt = until(page, lambda shown: len(shown["dealer"]["cards"]) == 2)
        assert [len(box["hands"]) for box in dealt["boxes"]] == [0, 1, 0, 0, 0, 0, 0]
        assert dealt["dealer"]["cards"][1] == {"hidden": True}


def test_a_table_takes_its_cards_from_the_shoe_and_holds_when_the_shoe_is_lost(tmp_path: Path) -> None:
    shoe = PtyShoe()
    try:
        with started("run", str(write_config(tmp_path, shoe.port))) as (process, page):
            me = sign_in(page)
            until(page, live, me)
            press(page, 1, cookie=me, obs="bet", box=1, seat=0, stake=400)
            press(page, 2, cookie=me, obs="close")
            shoe.deal("K", "s")
            shown = until(page, lambda shown: shown["boxes"][0]["hands"], me)
            assert shown["boxes"][0]["hands"][0]["cards"][0]["rank"] == "K"
            shoe.unplug()
            held = until(page, lambda shown: shown["holds"], me)
            assert held["holds"][0]["text"]["code"].endswith("DEVICE_LOST")
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 2
            complaint = process.stderr.read()
            assert "check cable and power" in complaint
            assert '"code": "DEVICE_LOST"' in complaint
    finally:
        shoe.close()
    assert call("verify", str(tmp_path / "BJ1.journal")).returncode == 0


def test_a_table_with_an_open_shoe_asks_for_the_card_that_the_reader_is_unsure_of(tmp_path: Path) -> None:
    shoe = PtyReader(Random(1), lambda: time.monotonic_ns() // 1_000_000)
    try:
        config = write_config(tmp_path, shoe.port, more='protocol = "open"\nbaud = 115200')
        # Before the table hears it: a reader that is switched off and on at an open table holds it.
        shoe.start()
        with started("run", str(config)) as (_, page):
            me = sign_in(page)
            until(page, live, me)
            press(page, 1, cookie=me, obs="bet", box=1, seat=0, stake=400)
            press(page, 2, cookie=me, obs="close")
            shoe.deal("K", "s", 0.999)
            until(page, lambda shown: shown["boxes"][0]["hands"], me)
            shoe.deal("9", "h", 0.6)
            asked = until(page, lambda shown: shown["alerts"], me)
            assert asked["alerts"][0]["text"]["code"] == "alert.CARD_UNREAD"
            assert asked["dealer"]["cards"][0]["rank"] is None
    finally:
        shoe.close()


def test_a_shoe_that_comes_back_does_not_resume_the_table(tmp_path: Path) -> None:
    shoe = PtyShoe()
    try:
        with started("run", str(write_config(tmp_path, shoe.port))) as (_, page):
            me = sign_in(page)
            until(page, live, me)
            shoe.unplug()
            until(page, lambda shown: shown["holds"], me)
            shoe.plug()
            back = until(page, live, me)
            assert back["holds"]
    finally:
        shoe.close()


@pytest.mark.parametrize(
    ("changes", "words", "status"),
    [
        ({"rules": "casino-royale"}, "casino-royale", os.EX_CONFIG),
        ({"more": 'baud = "fast"'}, "shoe.baud", os.EX_CONFIG),
        ({"more": "[shoes]\nport = 1"}, "shoes", os.EX_CONFIG),
        ({"more": "[table"}, "table.toml", os.EX_CONFIG),
        ({}, "/dev/null-shoe", 2),
    ],
)
def test_a_wrong_configuration_ends_otherwise_than_what_may_pass(
    tmp_path: Path, changes: dict[str, str], words: str, status: int
) -> None:
    done = call("run", str(write_config(tmp_path, **changes)))  # type: ignore[arg-type]  # texts, all of them
    assert done.returncode == status
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_all_that_keeps_a_table_closed_is_said_at_once(tmp_path: Path) -> None:
    certificate = '[web.tls]\ncertificate = "none.crt"\nkey = "none.key"\n'
    config = write_config(tmp_path, rules="casino-royale", more=certificate)
    (tmp_path / "people.json").write_text("{}")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        config.write_text(config.read_text(encoding="utf-8").replace("port = 0", f"port = {port}"))
        done = call("run", str(config))
    assert done.returncode == os.EX_CONFIG
    said = done.stderr.splitlines()
    assert [any(word in line for line in said) for word in ("casino-royale", "people.json", f"{port}")] == [
        True
    ] * 3, said
    assert len(said) == len(set(said))


def test_a_missing_configuration_is_named(tmp_path: Path) -> None:
    done = call("run", str(tmp_path / "none.toml"))
    assert done.returncode == os.EX_CONFIG
    assert "none.toml" in done.stderr


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    camera = '[camera]\nsource = "pictures"\nboxes = []\ndealer = {x = 1, y = 1, radius = 1}\n'
    config = write_config(tmp_path, more=camera + '[models]\nfolder = "nothing"')
    done = call("run", str(config))
    assert done.returncode == os.EX_CONFIG
    assert "nothing" in done.stderr


def test_a_busy_port_is_named_and_leaves_no_journal(tmp_path: Path) -> None:
    shoe = PtyShoe()
    try:
        with socket.create_server(("127.0.0.1", 0)) as busy:
            port = busy.getsockname()[1]
            done = call("run", str(write_config(tmp_path, shoe.port, port=port)))
    finally:
        shoe.close()
    assert done.returncode == 2
    assert str(port) in done.stderr
    assert not (tmp_path / "BJ1.journal").exists()


def test_a_second_demo_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    keep = str(tmp_path)
    with started("demo", "--headless", "--port", "0", "--keep", keep):
        second = call("demo", "--headless", "--port", "0", "--keep", keep)
    assert second.returncode == 2
    assert "open in another stand17" in second.stderr


def test_a_kept_demo_refuses_another_seed(tmp_path: Path) -> None:
    keep = str(tmp_path)
    first = call(
        "demo", "--headless", "--port", "0", "--speed", "0", "--rounds", "1", "--keep", keep, "--seed", "5"
    )
    assert first.returncode == 0
    other = call("demo", "--headless", "--port", "0", "--rounds", "1", "--keep", keep, "--seed", "6")
    assert other.returncode == 2
    assert "5" in other.stderr


def test_a_kept_demo_names_a_folder_that_it_cannot_use(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    done = call("demo", "--headless", "--keep", str(tmp_path / "taken"))
    assert done.returncode == 2
    assert str(tmp_path / "taken") in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="only root can hide /dev/pts from a program"
)
def test_a_machine_without_pseudo_terminals_is_told_how_to_deal() -> None:
    hidden = 'mount -t tmpfs none /dev/pts && exec "$@"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", hidden, "sh", *PROGRAM, "demo", "--headless", "--rounds", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    if "mount:" in done.stderr:
        pytest.skip("no file systems can be mounted here")
    assert (done.returncode, "--source camera" in done.stderr, "Traceback" in done.stderr) == (2, True, False)


def test_a_21_that_closed_its_hand_by_itself_does_so_in_the_exported_feed_too(tmp_path: Path) -> None:
    """Seed 3 deals box 3 three cards of 21 at once, under rules that let it draw on."""
    dealing = ("--headless", "--seed", "3", "--port", "0", "--speed", "0", "--rounds", "2")
    assert call("demo", *dealing, "--keep", str(tmp_path / "kept")).returncode == 0
    feed, expected = tmp_path / "a.feed.jsonl", tmp_path / "a.expect.jsonl"
    assert call("feed", str(tmp_path / "kept" / "demo.journal"), "--out", str(feed)).returncode == 0
    for door in ((), ("--table",)):
        done = call("replay", *door, "--strict", str(feed), "--expect", str(expected))
        assert done.returncode == 0, done.stdout
        assert "4 8 9 = 21" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        *("verify X.journal", "report X.journal", "show X.journal --round 1", "books X.journal"),
        *("studio X.journal", "table X.journal --of rounds --out o.csv", "key show X.toml"),
        *("guests erase X.journal g", "replay X.feed.jsonl", "replay ok.feed.jsonl --expect X.jsonl"),
        *("diff X.journal ok.feed.jsonl", "diff ok.feed.jsonl X.feed.jsonl", "shrink X.feed.jsonl --out o"),
        *("feed X.journal", "export 1 --out o.mcap --recording X.mcap", "patterns X.journal"),
        *("export 1 --out o.mcap --journal X.journal", "rules show X.toml", "calibrate X.toml --mark 1=2,3"),
        *("read X.png", "run X.toml", "doctor X.toml", "record X.toml", "people list X.toml"),
        *("demo --rules X.toml", "demo --beside X.journal", "init new.toml --answers X.json"),
    ],
)
def test_what_is_no_file_is_refused_in_a_sentence_and_nothing_is_made(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "tests/feeds/nl/ace_eleven_or_one.feed.jsonl", tmp_path / "ok.feed.jsonl")
    ending = next(word for word in words.split() if word.startswith("X."))[1:]
    folder, pipe, link, denied = (
        tmp_path / f"{name}{ending}" for name in ("folder", "pipe", "link", "denied")
    )
    folder.mkdir()
    os.mkfifo(pipe)
    link.symlink_to("nowhere")
    denied.touch(0)
    before = set(tmp_path.iterdir())
    for path in (folder, pipe, link, *(() if os.access(denied, os.R_OK) else (denied,))):
        done = command(*words.replace(f"X{ending}", path.name).split(), folder=tmp_path)
        lines = done.stderr.splitlines()
        assert (done.returncode in (1, 2, os.EX_CONFIG), len(lines)) == (True, 1), (path.name, done)
        assert "Usage" not in lines[0]
        assert path.name in lines[0]
        assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "words", [["replay", ""], ["studio", ""], ["report", "a.journal", "--out="], ["demo", "--keep", ""]]
)
def test_an_empty_argument_is_not_the_present_folder(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = command(*words, folder=tmp_path)
    assert (done.returncode, done.stdout, "argument is empty" in done.stderr) == (2, "", True)
    assert list(tmp_path.iterdir()) == []
