"""The house's own command for holds and alerts that wait: run once for each, and never waited for."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from controller.acts.catalogue import Paid
from controller.config import OnAlertSection
from controller.domain import ConfigError
from controller.main.beside import DISCREET, AlertCommand, Unanswered, message, run_command
from controller.runtime.snapshot import logger
from tests.runtime.runtime_kit import DEAL, ENDING, OPENING, Bench

MINUTE_US = 60_000_000


def script(path: Path, *lines: str) -> str:
    path.write_text("\n".join(("#!/bin/sh", *lines)) + "\n")
    path.chmod(0o700)
    return str(path)


def told(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


async def called(journal: Path, section: OnAlertSection, out: Path, runs: int) -> None:
    """A payout that was too much stays unanswered, while a minute passes with each look."""
    async with Bench(journal) as bench:
        await bench.say(*OPENING)
        await bench.shoe(*DEAL)
        await bench.say(*ENDING)
        await bench.say(Paid(1, 0, 1500))
        clock_us = bench.clock.utc_us()

        def later() -> int:
            nonlocal clock_us
            clock_us += MINUTE_US
            return clock_us

        command = AlertCommand(section, logger())
        follower = asyncio.create_task(command.follow(bench.table.hub, later, 0.01))
        await bench.until(lambda: follower.done() or len(told(out)) >= runs)
        for _ in range(20):
            await asyncio.sleep(0.01)
        follower.cancel()
        await asyncio.gather(follower, return_exceptions=True)


def test_the_command_is_run_once_for_an_alert_and_again_where_it_failed(tmp_path: Path) -> None:
    out = tmp_path / "told"
    # It fails the first time: then there is one line.
    command = script(tmp_path / "call", f"cat >> {out}", f'[ "$(wc -l < {out})" -gt 1 ]')
    section = OnAlertSection(
        command=(command,), codes=frozenset(("WRONG_PAYOUT",)), after_s=90, language="fr"
    )
    asyncio.run(called(tmp_path / "t.journal", section, out, 2))
    assert len(told(out)) == 2
    one = told(out)[0]
    assert {key: one[key] for key in ("table", "kind", "code")} == {
        "table": "T1",
        "kind": "hold",
        "code": "WRONG_PAYOUT",
    }
    assert one["waited_s"] >= 90
    assert one["text"].startswith("T1 : Mauvais paiement. Attend")
    assert not [rank for rank in ("15.00", "10.00", "rank", "suit") if rank in out.read_text()]


def test_a_command_that_hangs_is_killed_with_what_it_started_and_delays_nothing(tmp_path: Path) -> None:
    began, pid = time.monotonic(), tmp_path / "pid"
    command = script(tmp_path / "hang", "sleep 600 &", f"echo $! > {pid}", "wait")
    assert run_command((command,), b"{}\n", limit_s=1.0) == "longer than 1 s"
    assert time.monotonic() - began < 60
    while Path(f"/proc/{pid.read_text().strip()}/cmdline").exists():
        if not Path(f"/proc/{pid.read_text().strip()}/cmdline").read_bytes():
            break
        time.sleep(0.05)


def test_a_table_ends_while_its_command_still_runs(tmp_path: Path) -> None:
    out, began = tmp_path / "told", time.monotonic()
    command = script(tmp_path / "slow", f"cat >> {out}", "exec sleep 5")
    section = OnAlertSection(command=(command,), codes=frozenset(("WRONG_PAYOUT",)), after_s=0)
    pid = os.getpid()
    asyncio.run(called(tmp_path / "t.journal", section, out, 1))
    assert (len(told(out)), os.getpid()) == (1, pid)
    assert time.monotonic() - began < 300


@pytest.mark.parametrize(
    ("lines", "reason"), [(("exit 3",), "exit status 3"), (("exec <&-", "exit 0"), ""), (("cat",), "")]
)
def test_how_a_command_ended_is_known(tmp_path: Path, lines: tuple[str, ...], reason: str) -> None:
    assert run_command((script(tmp_path / "call", *lines),), b"x" * 200_000) == reason
    assert run_command((str(tmp_path / "none"),), b"")


@pytest.mark.parametrize("code", sorted(DISCREET))
def test_what_no_guest_may_know_has_no_name_in_the_object(code: str) -> None:
    fields = json.loads(message("BJ1", Unanswered(0, code, "hold"), MINUTE_US, "en"))
    assert (fields["code"], fields["waited_s"], fields["since"]) == (None, 60, "1970-01-01T00:00:00Z")
    assert "The pit decides" in fields["text"]


def test_a_command_that_is_not_there_is_refused_before_the_table_opens() -> None:
    with pytest.raises(ConfigError) as refused:
        AlertCommand(OnAlertSection(command=("/nowhere/call",)), logger())
    assert (refused.value.code, refused.value.params) == ("ON_ALERT_COMMAND", {"command": "/nowhere/call"})
