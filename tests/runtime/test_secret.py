"""The face-down card: whatever it is, nothing that leaves the table differs until it is turned."""

import asyncio
from pathlib import Path

import pytest

from controller.acts.catalogue import Bet, CardSeen, Close, Decision, Insurance, Reveal
from controller.domain import RANKS, card_named
from controller.ports import Report, Trouble
from controller.rules import load_rules
from controller.runtime.api import CallPit, Observe, Resume
from controller.runtime.ledger import house_before_profiles
from controller.runtime.restore import Identity
from tests.own_houses import HOLE_CARD_HOUSES
from tests.runtime.runtime_kit import Bench


async def told(path: Path, house: str, hole: str) -> tuple[list[str], list[str]]:
    """Everything that was shown before the card was turned, and what was shown afterwards."""
    rules = load_rules(house, {}, Path())
    before: list[str] = []
    async with Bench(path, identity=Identity("T", rules, "EUR", house_before_profiles(rules.name))) as bench:

        def note() -> None:
            shown = bench.now
            quiet = [held._replace(since_utc_us=0) for held in shown.holds]
            alerts = [alert._replace(at_utc_us=0) for alert in shown.alerts]
            before.append(repr(shown._replace(at_utc_us=0, holds=tuple(quiet), alerts=tuple(alerts))))

        async def trail() -> None:
            for line in await bench.table.audit(1, 500):
                before.append(repr(line._replace(at_utc_us=0, hash="")))

        deal = ["10", hole, "6", "5"] if rules.hole_card == "first_down" else ["10", "5", "6", hole]
        await bench.say(Bet(3, 0, 1000), Close())
        for number, rank in enumerate(deal):
            card = card_named(rank, "s" if rank == hole else "d")
            await bench.shoe(CardSeen(*card, by="shoe", id=f"shoe.a.{number}"))
            note()
        for act in (Insurance(3, 0, 500), Bet(3, 0, 2000), Decision(3, 1, "double"), Decision(3, 1, "hit")):
            await bench.ask(Observe(act))
            note()
        await bench.shoe(CardSeen("2", "c", by="shoe", id="shoe.a.9"))
        raw = (("raw", f"44{RANKS.index(hole):02x}"),)
        bench.table.post(Report("shoe", 0, (), (Trouble("SHOE_NOT_UNDERSTOOD", raw),)))
        await bench.until(lambda: bool(bench.now.holds))
        await bench.ask(CallPit("look"))
        note()
        await trail()
        await bench.ask(Resume())
        await bench.say(Decision(3, 1, "stand"))
        note()
        await trail()
        await bench.say(Reveal())
        return before, [repr(bench.now.state.dealer)]


@pytest.mark.parametrize("house", HOLE_CARD_HOUSES)
def test_nothing_shown_depends_on_the_face_down_card(tmp_path: Path, house: str) -> None:
    stories = {
        hole: asyncio.run(told(tmp_path / f"{house}-{hole}.journal", house, hole))
        for hole in ("3", "7", "9", "K")
    }
    first = stories["3"][0]
    for hole, (before, _) in stories.items():
        assert before == first, hole
    assert len({tuple(after) for _, after in stories.values()}) == len(stories)
