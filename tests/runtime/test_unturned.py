"""A card that was dealt face down and never turned stays hidden: in histories, hashes, alerts, rulings."""

import asyncio
import json
import re
from pathlib import Path

from controller.acts.catalogue import Bet, CardSeen, Close, Decision, End, Observation, ShoeLoaded, Void
from controller.domain import Rank
from controller.i18n import catalogue
from controller.policy import House, TableOptions
from controller.ports import Report, Trouble
from controller.rules import load_file
from controller.runtime.api import AlertView, AuditLine
from controller.runtime.redaction import PLAIN, hide_cards, redacted_alerts
from controller.runtime.restore import Identity
from tests.runtime.runtime_kit import RULES, Bench, cards

OPTIONS = TableOptions(card_gap_ms=0, ask_hit_from=0, payouts=None)
ONE_PACK = Identity(
    "T1", RULES._replace(decks=1), "EUR", House(load_file("spielbank", Path()).irregularities, OPTIONS)
)
"""A table that waits where its house says so."""
FIRST: tuple[Observation, ...] = (Bet(1, 0, 1000), Close())


def never_turned(hole: Rank) -> tuple[Observation, ...]:
    """Box 1 draws too many, so that nobody has to see the face-down card."""
    return (*FIRST, *cards("10", "9", "6", hole), Decision(1, 1, "hit"), *cards("K"), End())


def test_a_parameter_of_a_new_name_is_hidden_while_a_card_lies_face_down() -> None:
    told = AlertView(7, "NEW", "warning", 1, (("box", 3), ("underneath", "8h")), 0, "open", "", "")
    assert redacted_alerts((told,), frozenset({1}))[0].params == (("box", 3),)
    assert redacted_alerts((told,), frozenset({2}))[0].params == told.params
    body = {"code": "NEW", "params": {"box": 3, "underneath": "8h"}}
    assert hide_cards("alert", body) == {"code": "NEW", "params": {"box": 3}}


def test_every_parameter_of_an_alerts_sentence_is_known_to_be_plain_or_to_name_a_card() -> None:
    sentences = [text for key, text in catalogue("en").items() if key.startswith(("alert.", "hold."))]
    named = {name for text in sentences for name in re.findall(r"\{(\w+)", text)}
    assert named - PLAIN == {"rank"}


async def tell(bench: Bench, *facts: Observation) -> None:
    for fact in facts:
        await (bench.shoe(fact) if isinstance(fact, CardSeen) else bench.say(fact))


async def trail_after(path: Path, *facts: Observation) -> tuple[AuditLine, ...]:
    async with Bench(path) as bench:
        await tell(bench, *facts)
        return await bench.table.audit(1, 500)


def test_no_hash_after_a_card_that_was_never_turned_leaves_the_journal(tmp_path: Path) -> None:
    trail = asyncio.run(trail_after(tmp_path / "t.journal", *never_turned("8"), *FIRST))
    dealt = next(line.seq for line in trail if line.kind == "fact" and '"card"' in line.body)
    assert [line.seq for line in trail if line.hash and line.seq > dealt] == []


def test_a_voided_round_keeps_the_face_down_card_in_the_next_one(tmp_path: Path) -> None:
    dealt, void = cards("10", "9", "6", "8"), Void(None, "p7", "test")
    trail = asyncio.run(trail_after(tmp_path / "t.journal", *FIRST, *dealt, void, *FIRST, *cards("2")))
    shown = [json.loads(line.body) for line in trail if line.kind == "fact"]
    assert [body.get("rank") for body in shown if body["obs"] == "card"] == [None] * 4 + ["2"]


def test_how_sure_the_reader_was_is_not_told_of_a_hidden_card(tmp_path: Path) -> None:
    seen = CardSeen("8", "s", by="shoe", p=0.75)
    trail = asyncio.run(trail_after(tmp_path / "t.journal", *FIRST, *cards("10", "9", "6"), seen))
    assert not any("0.75" in line.body for line in trail)


def test_what_a_shoe_said_while_a_card_may_be_dealt_face_down_is_never_shown(tmp_path: Path) -> None:
    async def story() -> str:
        async with Bench(tmp_path / "t.journal") as bench:
            await tell(bench, *FIRST, *cards("10", "9", "6"))
            garbled = Trouble("SHOE_NOT_UNDERSTOOD", (("raw", "what the shoe sent"),))
            bench.table.post(Report("shoe", 0, (), (garbled,)))
            await bench.until(lambda: bool(bench.now.alerts))
            return repr((bench.now.alerts, bench.now.holds, await bench.table.audit(1, 500)))

    assert "what the shoe sent" not in asyncio.run(story())


def test_too_many_of_a_kind_that_only_an_unturned_card_explains_is_not_shown(tmp_path: Path) -> None:
    async def story(hole: Rank) -> str:
        async with Bench(tmp_path / f"{hole}.journal", identity=ONE_PACK) as bench:
            await tell(bench, ShoeLoaded(1), Bet(1, 0, 1000), Close())
            burned = bench.now.state.shoe.burn_due
            await tell(bench, *(CardSeen("5", None, by="shoe") for _ in range(burned)))
            await tell(bench, *never_turned(hole)[2:])
            await tell(bench, *FIRST, *(CardSeen("8", None, by="shoe") for _ in range(5)))
            assert len(bench.door.ledger.withheld) == (hole == "8")
            trail = await bench.table.audit(1, 500)
            return repr([alert.code for alert in bench.now.alerts]) + "".join(line.body for line in trail[1:])

    told = [asyncio.run(story(hole)) for hole in ("8", "3")]
    assert "TOO_MANY_OF_A_KIND" not in told[0]
    assert told[0] == told[1]
