"""The table that a feed is played at is the one that a live table's entries fold to, after every line."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from controller.feed.feed_table import FeedTable, line_at_door, open_table_script
from controller.policy import TableRun, decide, new_run
from controller.runtime.draft import Draft, RefusedByRules, adopt
from controller.runtime.ledger import Ledger, Opening

FEEDS = Path(__file__).parents[1] / "feeds"
PATHS = sorted((*FEEDS.glob("table/*.feed.jsonl"), *FEEDS.glob("faults/*/*.feed.jsonl")))


def told(run: TableRun) -> TableRun:
    """What both know: no entry says when a hold began, what its card's mark is, or that a result waits."""
    return replace(
        run,
        holds=tuple(hold._replace(since_utc_us=0, by="") for hold in run.holds),
        kept=tuple(kept._replace(mark=0, by=run.kept[0].by) for kept in run.kept),
        unreported=0,
        reported=None,
    )


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_feeds_table_is_the_one_that_entries_fold_to(path: Path) -> None:
    with path.open("rb") as stream:
        script = open_table_script(stream, path.parent)
        lines = list(script.lines)
    table = FeedTable(script.house, new_run(script.house, script.rules))
    run = new_run(script.house, script.rules)
    ledger = Ledger(0, Opening("", script.rules, "", b"", script.house), run)
    counted = False
    for line in lines:
        entered = line_at_door(line)
        draft = Draft(ledger, entered.t_ms * 1000, written=False)
        decided = decide(script.house, ledger.run, entered)
        with suppress(RefusedByRules):
            adopt(draft, decided, str(entered.by), line=entered)
        # No entry says what waits to be reported: a settled entry stands whether it waits or not.
        folded = replace(draft.ledger.run, unreported=decided.run.unreported, reported=decided.run.reported)
        ledger = draft.ledger._replace(run=folded)
        table.take(entered, line)
        counted |= table.run.rest is not None
        if counted:
            # Cards that run through the reader to be counted belong to no round: their times say nothing.
            table.run = replace(table.run, last_card_ms=ledger.run.last_card_ms)
        assert told(table.run) == told(ledger.run), line
