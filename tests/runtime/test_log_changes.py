"""What the program's own log says of the table: whole sentences, amounts in units."""

import asyncio
import io
import json
from pathlib import Path

import structlog

from controller.acts.catalogue import Paid
from controller.runtime.snapshot import log_snapshots, sentence
from tests.runtime.runtime_kit import DEAL, ENDING, OPENING, Bench


async def lines_of_the_log(path: Path, paid_minor: int) -> list[dict[str, str]]:
    written = io.StringIO()
    log = structlog.wrap_logger(
        structlog.PrintLogger(written), processors=[structlog.processors.JSONRenderer()]
    )
    async with Bench(path) as bench:
        await bench.say(*OPENING)
        await bench.shoe(*DEAL)
        await bench.say(*ENDING)
        follower = asyncio.create_task(log_snapshots(bench.table.hub, log))
        await bench.say(Paid(1, 0, paid_minor))
        await bench.until(lambda: "alert" in written.getvalue())
        follower.cancel()
        await asyncio.gather(follower, return_exceptions=True)
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_a_wrong_payout_is_told_in_units_of_the_currency(tmp_path: Path) -> None:
    lines = asyncio.run(lines_of_the_log(tmp_path / "t.journal", 1500))
    texts = [line["text"] for line in lines if line["event"] == "alert"]
    assert [text.partition(":")[2][:41] for text in texts] == [" 15.00 was handed back, 10.00 is due: pay"]


def test_a_fault_that_is_about_no_box_names_none() -> None:
    asked = sentence("DECISION_UNCLEAR", (("box", 3), ("hand", 1)))
    of_none = sentence("DECISION_UNCLEAR", (("box", 0), ("hand", 0)))
    assert asked.startswith("Box 3: a card came")
    assert of_none.startswith("A card left the shoe together with the card before it")
