"""The table that a feed is played at is the one that a live table's entries fold to, after every line."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from controller.feed.feed_table import FeedTable, line_at_door, open_table_script
from controller.policy import House, TableRun, decide, new_run
from controller.policy.decide import Decided
from controller.policy.holds import Hold
from controller.policy.run import Released
from controller.rules import load_file
from controller.runtime.api import AlertView
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


def test_a_hold_that_is_released_leaves_the_equal_one_of_another_round() -> None:
    file = load_file("nl", Path())
    house = House(file.irregularities)
    amounts = (("box", 7), ("seat", 0), ("paid", 1000), ("expected", 500))
    first, fourth = (Hold("WRONG_PAYOUT", "pit", ("paid",), amounts, number, box=7) for number in (1, 4))
    run = replace(new_run(house, file.rules), holds=(first, fourth))
    alerts = tuple(
        AlertView(number, "WRONG_PAYOUT", "critical", number, amounts, 0, "open", "", "") for number in (1, 4)
    )
    ledger = Ledger(0, Opening("", file.rules, "", b"", house), run, alerts=alerts)
    draft = Draft(ledger, 0, written=False)
    adopt(draft, Decided(replace(run, holds=(first,)), (Released(0, fourth),)), "pit:P1")
    assert draft.ledger.run.holds == (first,)
    assert [alert.round for alert in draft.ledger.alerts] == [1]
