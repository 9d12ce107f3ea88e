"""`stand17 pit`: the pit's page over tables that are played elsewhere, as their copies come."""

import http.cookiejar
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from controller.acts.catalogue import Bet, Close, Decision, End, Reveal
from controller.cli.application import build
from tests.forked_process import Forked
from tests.main.copy_kit import cards, run
from tests.main.live_kit import Live

Evening = tuple[Path, Path, dict[str, int]]


class Browser:
    """What a browser that came by the printed address may ask."""

    def __init__(self, address: str) -> None:
        self._url = address.partition("/enter")[0]
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._browser = urllib.request.build_opener(cookies)
        assert self._browser.open(address).status == 200

    def ask(self, path: str) -> Any:
        with self._browser.open(f"{self._url}/pit{path}") as answer:
            return json.load(answer)

    def until(self, path: str, holds: Callable[[Any], bool]) -> Any:
        deadline = time.monotonic() + 120
        while not holds(answer := self.ask(path)):
            assert time.monotonic() < deadline, answer
            time.sleep(0.1)
        return answer


@contextmanager
def _running(*words: str | Path) -> Iterator[str]:
    process = Forked("pit", *words, "--port", "0")
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        assert process.wait(60) == 0


def test_a_floor_grows_with_its_copies_and_shows_what_contradicts_them(
    evening: Evening, tmp_path: Path
) -> None:
    came = tmp_path / "came" / evening[1].name
    came.parent.mkdir()
    data = evening[1].read_bytes()
    came.write_bytes(data[: len(data) // 2])
    with _running(came.parent, "--into", tmp_path / "archive") as address:
        browser = Browser(address)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            Browser(address)
        (tile,) = browser.ask("/api/tables")
        there = f"/tables/{urllib.parse.quote(tile['table'])}/api"
        before = browser.ask(f"{there}/state")
        came.write_bytes(data)
        after = browser.until(f"{there}/state", lambda view: view["seq"] > before["seq"])
        assert (tile["elsewhere"], before["round"], after["holds"]) == (True, 1, [])
        rounds = browser.ask(f"{there}/rounds")["rows"]
        assert [row["round"] for row in rounds] == [1]
        assert browser.ask("/api/floor/rounds")["rows"] == rounds
        (beside,) = browser.ask("/api/floor")["tables"]
        assert (beside["table"], beside["rounds"], beside["disputes"]) == (tile["table"], 1, 0)
        assert beside["win"] == browser.ask("/api/tables")[0]["win"]
        came.write_bytes(data[: len(data) // 2])
        held = browser.until(f"{there}/state", lambda view: view["holds"] != [])
        assert held["holds"][0]["text"]["code"] == "hold.RECORD_CONTRADICTS"
    (tmp_path / "archive" / "damaged.journal").write_bytes(b"no journal")
    with _running(tmp_path / "archive") as address:
        # What did not fit once is said whoever opens the archive later.
        browser = Browser(address)
        later = browser.until(f"{there}/state", lambda view: view["holds"] != [])
        assert later["holds"][0]["text"]["code"] == "hold.RECORD_CONTRADICTS"
        damaged = browser.until("/api/tables", lambda tiles: len(tiles) == 2)[1]
        assert (damaged["table"], damaged["unread"], damaged["tone"]) == ("damaged", True, "stop")
        assert damaged["line"]["code"] == "error.NOT_A_JOURNAL"


def test_an_older_day_of_a_table_is_opened_by_its_address(tmp_path: Path) -> None:
    async def round_one(live: Live) -> None:
        await live.say(Bet(1, 0, 1000), Close(), *cards("10", "9", "7", "8"))
        await live.say(Decision(1, 1, "stand"), Reveal(), End())

    async def no_round(live: Live) -> None:
        await live.say(Bet(1, 0, 1000))

    for folder in ("table", "copies"):
        (tmp_path / folder).mkdir()
    run(tmp_path / "table", round_one, tmp_path / "copies", "monday.journal")
    run(tmp_path / "table", no_round, tmp_path / "copies", "tuesday.journal")
    with _running(tmp_path / "table") as address:
        browser = Browser(address)
        browser.until(
            "/tables/BJ1@monday/api/rounds", lambda found: [row["round"] for row in found["rows"]] == [1]
        )
        today = time.strftime("%Y-%m-%d", time.gmtime())
        for day in ("", "@tuesday", f"@{today}"):
            assert browser.ask(f"/tables/BJ1{day}/api/rounds")["rows"] == []
        assert browser.ask("/tables/BJ1@monday/api/days") == ["tuesday", "monday"]
        assert [tile["table"] for tile in browser.ask("/api/tables")] == ["BJ1"]
        with pytest.raises(urllib.error.HTTPError, match="404"):
            browser.ask("/tables/BJ1@sunday/api/rounds")


def test_copies_are_shown_from_an_archive_alone(evening: Evening) -> None:
    done = CliRunner().invoke(build("pit"), ["pit", str(evening[1].parent)])
    assert getattr(done.exception, "code", "") == "COPIES_NEED_ARCHIVE"
