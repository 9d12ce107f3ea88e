"""Published fines and thefts, retold as feeds that a seed makes: the guilty one, and its clean twin."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict

from controller.domain.cards import RANKS, SUITS, Card
from controller.engine.constants import COMPLETE, PLAY
from controller.rules import load_rules
from controller.simulation.script import WrittenFeed

FILE: Final = Path(__file__).with_name("incidents.toml")
HOUSE: Final = "it"
PACK: Final = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
BOXES: Final = (1, 2, 3, 4, 5, 6)
STAKE: Final = 1500
CHIP: Final = 500
ROUNDS_BEFORE: Final = 10
ROUNDS_AFTER: Final = 6
SLUG: Final = 40
DEALER_STANDS: Final = 17
CHIPS: Final = "chips:rack"


class Published(BaseModel):
    """What happened, where and when, what it cost, who published it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    where: str
    day: str
    sum: str
    source: str


class Incident(Published):
    """A published incident with how it is retold, and what a table has to say to it."""

    written: str
    expect: str


class IncidentFeed(NamedTuple):
    """A feed's lines without its header, and its table options; from `begins` on it differs from its twin."""

    lines: list[dict[str, Any]]
    options: dict[str, Any]
    begins: int


def incidents() -> tuple[Incident, ...]:
    """Every incident that is retold, in the order of the page."""
    fields = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple([Incident(**one) for one in fields["incident"]])


def incident_feed(incident: Incident, seed: int, *, guilty: bool) -> IncidentFeed:
    """The incident as a feed; not `guilty`: its clean twin, which differs in nothing but the fault."""
    chance = Random(f"{seed}/{incident.name}")
    script = WrittenFeed(load_rules(HOUSE, {}, Path()), BOXES, STAKE)
    begins = _TELL[incident.written](script, chance, guilty)
    counts = incident.expect == "SHOE_INCOMPLETE"
    return IncidentFeed(script.lines, {"count_every": 1} if counts else {}, begins)


def header() -> dict[str, Any]:
    """The first line of every feed but its options."""
    return {"feed": 1, "table": "BJ1", "rules": HOUSE, "started_at": "2026-11-20T19:00:00Z"}


Tell = Callable[[WrittenFeed, Random, bool], int]


def _packs(script: WrittenFeed) -> list[Card]:
    return list(PACK * script.rules.decks)


def _shuffled(script: WrittenFeed, chance: Random) -> list[Card]:
    cards = _packs(script)
    return chance.sample(cards, len(cards))


def _second_shoe(order: Callable[[WrittenFeed, Random], list[Card]]) -> Tell:
    """A shuffled shoe, then one in an order that is none of chance."""

    def enter(script: WrittenFeed, chance: Random, guilty: bool) -> int:
        script.load(_shuffled(script, chance))
        script.rounds(ROUNDS_BEFORE)
        cards = order(script, chance)
        begins = len(script.lines)
        script.load(cards if guilty else chance.sample(cards, len(cards)))
        script.rounds(ROUNDS_AFTER)
        return begins

    return enter


def _discards(script: WrittenFeed, _: Random) -> list[Card]:
    return [*script.rack, *script.shoe[::-1]]


def _discards_backwards(script: WrittenFeed, _: Random) -> list[Card]:
    return [*script.rack[::-1], *script.shoe]


def _makers(script: WrittenFeed, _: Random) -> list[Card]:
    return _packs(script)


def _makers_backwards(script: WrittenFeed, _: Random) -> list[Card]:
    return _packs(script)[::-1]


def _packs_alike(script: WrittenFeed, chance: Random) -> list[Card]:
    """Every pack in the same order, which is none of a new pack."""
    return chance.sample(PACK, len(PACK)) * script.rules.decks


def _slug(script: WrittenFeed, chance: Random) -> list[Card]:
    """The discards but for a slug are shuffled; the slug lies behind the first two rounds or so."""
    slug = script.rack[:SLUG]
    rest = [*script.rack[SLUG:], *script.shoe]
    rest = chance.sample(rest, len(rest))
    return [*rest[:SLUG], *slug, *rest[SLUG:]]


def _sorted_late(script: WrittenFeed, chance: Random) -> list[Card]:
    """The first cards are shuffled, then a shuffler sorts the rest by suit and in sequence."""
    cards = _shuffled(script, chance)
    rest = sorted(
        cards[SLUG:], key=lambda card: (SUITS.index(card.suit or "c"), RANKS.index(card.rank or "A"))
    )
    once = list(dict.fromkeys(rest))
    return [*cards[:SLUG], *once, *_without(rest, once)]


def _without(cards: list[Card], gone: list[Card]) -> list[Card]:
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


def _counted(gone: Callable[[Random], list[Card]], more: tuple[Card, ...] = ()) -> Tell:
    """Packs that lack these cards, or hold one more, and are counted before the next shoe."""

    def enter(script: WrittenFeed, chance: Random, guilty: bool) -> int:
        lacking = gone(chance)
        cards = [*_without(_packs(script), lacking), *more] if guilty else _packs(script)
        script.load(chance.sample(cards, len(cards)))
        begins = len(script.lines)
        script.rounds(ROUNDS_BEFORE)
        rest = [str(card) for card in script.shoe]
        script.load(_shuffled(script, chance))
        script.write({"obs": "shoe_end", "cards": rest})
        return begins

    return enter


def _overpaid(script: WrittenFeed, chance: Random, guilty: bool) -> int:
    """A chip source counts what is handed back: a friend who has lost gets his stake back."""
    script.load(_shuffled(script, chance))
    begins, friend = len(script.lines), BOXES[0]
    for _ in range(ROUNDS_BEFORE):
        script.play()
        result = script.state.settlement.result
        assert result is not None
        due = {bet.box: int(bet.returned) for bet in result.bets}
        loses = due[friend] == 0 and guilty
        script.write(
            {"obs": "paid", "box": friend, "seat": 0, "amount": STAKE if loses else due[friend], "by": CHIPS}
        )
        if loses:
            break
        script.clear()
    return begins


def _moved_chips(change: int) -> Tell:
    """A circle's chips change once the first cards lie there; a chip source sees it."""

    def enter(script: WrittenFeed, chance: Random, guilty: bool) -> int:
        script.load(_shuffled(script, chance))
        script.round()
        begins = len(script.lines)
        script.bets()
        script.write(_stake(BOXES[2], STAKE))
        while script.state.phase != PLAY:
            script.next()
        script.write(_stake(BOXES[2], STAKE + change if guilty else STAKE))
        return begins

    return enter


def _dealer_first(script: WrittenFeed, chance: Random, guilty: bool) -> int:
    """The first card is laid to the dealer before any box has one, taken back, and dealt where it belongs."""
    script.load(_shuffled(script, chance))
    script.round()
    begins = len(script.lines)
    script.bets()
    if guilty:
        card = script.shoe[-1]
        script.write({"obs": "card", "rank": card.rank, "suit": card.suit, "to": "dealer"})
    while script.state.phase != COMPLETE:
        script.next()
    script.clear()
    return begins


def _drew_on(script: WrittenFeed, chance: Random, guilty: bool) -> int:
    """The dealer has what the house's rules stand on, and draws as another table's rules have it."""
    script.load(_shuffled(script, chance))
    begins = len(script.lines)
    for _ in range(ROUNDS_BEFORE):
        script.play()
        if script.state.dealer.total >= DEALER_STANDS and not any(box.void for box in script.state.boxes):
            break
        script.clear()
    if guilty:
        card = script.shoe[-1]
        script.write({"obs": "card", "rank": card.rank, "suit": card.suit, "to": "dealer"})
    return begins


def _slip_alone(script: WrittenFeed, chance: Random, guilty: bool) -> int:
    """A fill's slip is put right by the supervisor who wrote it, and by nobody else."""
    script.load(_shuffled(script, chance))
    script.round()
    begins = len(script.lines)
    slip = {"slip": "F7", "by": "pit:P1"}
    script.write({"obs": "fill", "amount": 50_000, "second": "pit:P2", **slip})
    second = "pit:P1" if guilty else "pit:P2"
    script.write({"obs": "slip_void", "kind": "fill", "reason": "wrong sum", "second": second, **slip})
    script.round()
    return begins


def _stake(box: int, amount: int) -> dict[str, Any]:
    return {"obs": "chip_reading", "kind": "stake", "box": box, "seat": 0, "amount": amount, "by": CHIPS}


_TELL: Final[dict[str, Tell]] = {
    "discards": _second_shoe(_discards),
    "discards_backwards": _second_shoe(_discards_backwards),
    "makers": _second_shoe(_makers),
    "makers_backwards": _second_shoe(_makers_backwards),
    "packs_alike": _second_shoe(_packs_alike),
    "slug": _second_shoe(_slug),
    "sorted_late": _second_shoe(_sorted_late),
    "short_16": _counted(lambda chance: chance.sample(PACK, 16)),
    "short_1": _counted(lambda _: [Card("7", "h")]),
    "replaced": _counted(lambda _: [Card("Q", "d")], (Card("J", "d"),)),
    "extra": _counted(lambda _: [], (Card("9", "s"),)),
    "mixed_in": _counted(lambda _: [], PACK[:10]),
    "dealer_first": _dealer_first,
    "drew_on": _drew_on,
    "slip_alone": _slip_alone,
    "overpaid": _overpaid,
    "capped": _moved_chips(CHIP),
    "pinched": _moved_chips(-CHIP),
}
