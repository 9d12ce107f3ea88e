"""The feed of an enforced table's journal, played at the table's door again: the same rounds and holds."""

import asyncio
import json
from pathlib import Path

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Close,
    Decision,
    End,
    Freeze,
    Note,
    Observation,
    Paid,
    RestCounting,
    Reveal,
    ShoeEnded,
    ShoeLoaded,
    Strike,
)
from controller.domain import SUITS
from controller.journal.entry import Entry, body_of
from controller.journal.store import JournalReader
from controller.policy import DEFAULT_OPTIONS, House
from controller.replay.journal_feed import by_of
from controller.rules import load_file
from controller.runtime.api import Observe, Resume
from tests.replay.replay_kit import call, objects
from tests.runtime.runtime_kit import DEAL, IDENTITY, Bench, cards

HOUSE = House(load_file("spielbank", Path()).irregularities, DEFAULT_OPTIONS._replace(shuffle_watch=False))
"""With the live options: a card close to the one before, or to a hard 17, is asked.

Every round has the same cards, which a watch over the shuffle would stop.
"""

ROUNDS = 60


async def plain(bench: Bench) -> None:
    """Box 1 stands on 17 and ties."""
    await bench.ask(Observe(Decision(1, 1, "stand")), role="dealer")
    await bench.ask(Observe(Reveal()), role="dealer")


async def drew_on_17(bench: Bench) -> None:
    await plain(bench)
    await bench.shoe(CardSeen("5", "s", by="shoe", to="dealer"))
    await bench.say(Strike(5, None, "p7", "DEALER_ERROR", burn=True, second=None))


async def asked(bench: Bench) -> None:
    """A card comes for a hard 17 without a hit: it waits for the answer, and bust it is."""
    await bench.shoe(*cards("3"))
    assert [hold.code for hold in bench.now.holds] == ["DECISION_UNCLEAR"]
    await bench.ask(Observe(Decision(1, 1, "hit")), role="dealer")
    await bench.ask(Observe(Decision(1, 1, "stand")), role="dealer")
    await bench.ask(Observe(Reveal()), role="dealer")


async def turned_early_and_cleared_early(bench: Bench) -> None:
    await bench.ask(Observe(Reveal()), role="dealer")
    assert [hold.code for hold in bench.now.holds] == ["HOLE_CARD_EXPOSED"]
    await bench.ask(Resume())
    await bench.ask(Observe(End()), role="dealer")
    assert [hold.code for hold in bench.now.holds] == ["ROUND_INCOMPLETE"]
    await bench.ask(Resume())
    await plain(bench)


async def wrong_payout(bench: Bench) -> None:
    await plain(bench)
    await bench.ask(Observe(Paid(1, 0, 2000)), role="dealer")
    await bench.say(Paid(1, 0, 1000))


async def ruled_while_waiting(bench: Bench) -> None:
    """Two cards wait behind the pit's stop and are taken out, the later one first."""
    await bench.say(Freeze("p7", "two guests quarrel"), Note("about box 2", None, "p7"))
    await bench.shoe(*cards("4", "J"))
    await bench.say(Strike(6, None, "p7", "DOUBLE_READ", struck_as="double_read"))
    await bench.say(Strike(5, None, "p7", "NOT_WANTED", burn=True))
    assert (bench.now.waiting, bench.now.state.cards_seen) == (2, 4)
    await bench.ask(Resume())
    assert (bench.now.waiting, bench.now.state.cards_seen, bench.now.holds) == (0, 6, ())
    await plain(bench)


async def count_rest(bench: Bench) -> None:
    """The rest runs through the reader: a card has to go through twice, and most of the shoe is missing."""
    await bench.ask(Observe(RestCounting("begin")), role="dealer")
    await bench.shoe(CardSeen("Q", "s"), CardSeen(None), CardSeen("K", "s"))
    assert ([hold.code for hold in bench.now.holds], bench.now.rest) == (["REST_CARD_UNREAD"], 1)
    await bench.ask(Resume(), role="dealer")
    assert bench.now.rest == 2
    await bench.ask(Observe(ShoeEnded()), role="dealer")
    assert [hold.code for hold in bench.now.holds] == ["SHOE_INCOMPLETE"]


STORIES = (plain, drew_on_17, asked, turned_early_and_cleared_early, wrong_payout, ruled_while_waiting)


async def deal(path: Path) -> None:
    """A shoe, and round after round another story; the dealer is D-1 of the dealer's tablet."""
    async with Bench(path, identity=IDENTITY._replace(house=HOUSE)) as bench:
        for number in range(ROUNDS):
            before: tuple[Observation, ...] = (ShoeLoaded(6),) if number % 20 == 0 else ()
            for told in (*before, Bet(1, 0, 1000), Close()):
                await bench.ask(Observe(told), role="dealer")
            await bench.shoe(*(card._replace(suit=SUITS[number % 4]) for card in DEAL))
            await STORIES[number % len(STORIES)](bench)
            await bench.ask(Observe(End()), role="dealer")
        assert bench.now.state.book.number == ROUNDS + 1
        await count_rest(bench)


def test_sixty_rounds_of_a_journal_hold_and_settle_again_at_the_door(tmp_path: Path) -> None:
    journal = tmp_path / "t.journal"
    asyncio.run(deal(journal))
    feed, expected = tmp_path / "t.feed.jsonl", tmp_path / "t.expect.jsonl"
    assert call("feed", journal, "--table", "--out", feed).returncode == 0
    answer = call("replay", "--table", "--json", feed, "--expect", expected)
    assert answer.returncode == 0, answer.stdout[-2000:]
    lines = objects(answer)
    held = [
        ("resumed" if line.get("resumed") else line["type"], line["code"])
        for line in lines
        if line["type"] in ("hold", "released")
    ]
    assert held == journalled(journal)
    assert len(held) > ROUNDS
    assert [line for line in lines if line["type"] == "refused"] == []
    told = {json.loads(line).get("by") for line in feed.read_text().splitlines()[1:]}
    assert told == {"dealer:p7", "dealer:replay", "pit:p7", "shoe"}


def journalled(journal: Path) -> list[tuple[str, str]]:
    """The holds and releases of the policy as they were written down."""
    kinds = {"held": "hold", "released": "released"}
    found: list[tuple[str, str]] = []
    reader = JournalReader(journal)
    for entry in reader.read():
        assert isinstance(entry, Entry)
        if entry.kind in kinds:
            found.append((kinds[entry.kind], body_of(entry)["code"]))
        elif entry.kind == "resumed":
            found += [("resumed", code) for code in body_of(entry)["codes"]]
    reader.close()
    return found


def test_what_the_felt_alone_shows_a_camera_has_told() -> None:
    """A table with a camera alone has no shoe to name."""
    told = (Decision(1, 1, "stand"), Reveal(), End(), CardSeen("9", "s", to="box", box=1, hand=1))
    assert {by_of("device:left", one) for one in told} == {"camera:left"}
    assert by_of("device:shoe", CardSeen("9", "s")) == "shoe"
