"""Thousands of cards through the drawn reader at a real table, and what became of each.

`PYTHONPATH=hardware/shoe-reader python -m tests.hardware.many_passages CARDS [FILE]` prints a table of what
each kind of draw gives, and exits with status 1 where one was counted or named wrong in silence. With a file
it keeps its count there after each shoe, and goes on where it was stopped: several nights make one count. A
file of another design or firmware is begun anew.
"""

import asyncio
import hashlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from design.geometry import CARDS, READER
from design.thickness import hand_share

from controller.acts.catalogue import Bet, CardSeen, Close, CutCard, End, ShoeLoaded, Void
from controller.config import BY_ONE, TableConfig
from controller.devices.shoes import CardSourceFactory
from controller.main.compose import TableSetup, run_table
from controller.main.trust import TablePeople
from controller.people.access import AccessSettings
from controller.ports import Report
from controller.runtime.api import Observe, Resume
from controller.runtime.door import TableTask
from tests import people_kit
from tests.hardware.firmware_kit import FIRMWARE, MODULES
from tests.hardware.passages import CARD_COUNTS, Drawn, Face, Place, by_hand, pushed_back, resting, steady
from tests.hardware.table_kit import ReaderAtTable, back, cut_card, face
from tests.main.live_kit import Live

DECKS: Final = 6
PATIENCE_S: Final = 60.0
DRAWS_A_ROUND: Final = 3
SHOE_DRAWS: Final = 102
"""Whole rounds out of a third of a shoe: the cards that stick to others make no kind come too often."""
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")

FASTEST: Final = 3.0
"""Metres a second."""

KINDS: Final = {
    "1 m/s": 0.42,
    "0.2 to 3 m/s": 0.20,
    "bent": 0.05,
    "hand over it": 0.05,
    "rests in the mouth": 0.04,
    "upside down": 0.05,
    "face up": 0.03,
    "stuck": 0.06,
    "pushed back": 0.04,
    "cut card": 0.02,
    "thickness lost": 0.02,
    "inner sensor blind": 0.01,
    "outer sensor blind": 0.01,
}
"""Kinds of draws and their shares."""


class Draw(NamedTuple):
    """One draw: its kind, the sheets, how they move and for how long; `name` is what a single card is."""

    kind: str
    sheets: tuple[Drawn, ...]
    place: Place
    last_ms: float
    name: str
    blind: tuple[bool, bool] = (False, False)
    hand: float = 0.0
    mute: bool = False


class Seen(NamedTuple):
    """What the table was given of a draw."""

    cards: tuple[str, ...]
    cut: bool
    holds: tuple[str, ...]

    @property
    def words(self) -> str:
        """In words, for the table of results."""
        cards = ["unread" if card == "?" else "named" for card in self.cards]
        return " + ".join([*self.holds, *(["cut card"] if self.cut else []), *cards]) or "nothing"


def draws(rng: np.random.Generator) -> Iterator[Draw]:
    """Endless draws from shoes of a drawn deck."""
    kinds, shares = list(KINDS), np.array(list(KINDS.values()))
    while True:
        cards = [(rank, suit) for rank in RANKS for suit in "cdhs"] * DECKS
        for place in rng.permutation(len(cards))[:SHOE_DRAWS]:
            yield _draw(str(rng.choice(kinds, p=shares / shares.sum())), cards[int(place)], rng)


def _draw(kind: str, card: tuple[str, str], rng: np.random.Generator) -> Draw:
    """A draw of that kind with this card."""
    name, printed = "".join(card), face(*card)
    speed = 1.0 if kind == "1 m/s" else float(rng.uniform(0.2, FASTEST))
    plain = Draw(kind, (_lying(printed, rng),), by_hand(speed), 160 / speed, name)
    if kind in PRINTED:
        printed, name = PRINTED[kind](printed), {"face up": "?", "cut card": "cut"}.get(kind, name)
        return plain._replace(sheets=(_lying(printed, rng),), name=name)
    match kind:
        case "1 m/s" if rng.random() < 0.3:
            return plain._replace(place=steady(1.0))
        case "rests in the mouth":
            return plain._replace(place=resting(1.0, float(rng.uniform(20, 60)), 400), last_ms=600)
        case "stuck":
            other = face(str(rng.choice(RANKS)), str(rng.choice(list("cdhs"))))
            behind = float(rng.uniform(0, 60))
            sheets = (*plain.sheets, _lying(other, rng, behind))
            return Draw(kind, sheets, by_hand(1.0), 160 + behind, "?")
        case "pushed back":
            turn_x = float(rng.uniform(3, 60))
            return plain._replace(place=pushed_back(1.0, turn_x), last_ms=2 * (turn_x + 25))
    return _disturbed(plain, rng)


def _disturbed(plain: Draw, rng: np.random.Generator) -> Draw:
    """A single card that is bent, under a hand, or past a sensor that has failed."""
    match plain.kind:
        case "bent":
            (sheet,) = plain.sheets
            # Up to what the tunnel leaves, or down into the window's opening.
            low, high = -sheet.height_mm - 0.35, READER.height - 0.3 - sheet.height_mm
            return plain._replace(sheets=(sheet._replace(bend_mm=float(rng.uniform(low, high))),))
        case "hand over it":
            share = hand_share(hand_mm=5.0, finger=bool(rng.random() < 0.5))
            return plain._replace(hand=share * CARD_COUNTS)
        case "thickness lost":
            return plain._replace(mute=True)
    return plain._replace(blind=(plain.kind.startswith("inner"), plain.kind.startswith("outer")))


def _lying(printed: Face, rng: np.random.Generator, behind: float = 0.0) -> Drawn:
    """A sheet somewhere in the tunnel's room, a little turned."""
    side, turn = float(rng.uniform(-0.5, 0.5)), float(rng.uniform(-1, 1))
    return Drawn(printed, behind, CARDS[0], side, turn, float(rng.uniform(0.05, 2.5)))


PRINTED: Final[dict[str, Callable[[Face], Face]]] = {
    "upside down": lambda card: Face(np.ascontiguousarray(card.image[::-1, ::-1]), card.alpha),
    "face up": lambda _: back(),
    "cut card": lambda _: cut_card(),
}
"""Kinds that are another print than the card as it lies."""


def is_silent_fault(draw: Draw, seen: Seen) -> bool:
    """Whether the table believes something that is not so, and nobody was asked."""
    if seen.holds:
        return False
    match draw.kind:
        case "cut card":
            return seen != Seen((), cut=True, holds=())
        case "stuck" | "pushed back" | "inner sensor blind" | "outer sensor blind":
            return True
    return seen.cut or seen.cards not in {(draw.name,), ("?",)}


class Account:
    """Takes what the shoe and its camera report; counts what each draw gave."""

    def __init__(self) -> None:
        self.results: Counter[tuple[str, str]] = Counter()
        self.faults: list[tuple[Draw, Seen]] = []
        self.named: Counter[str] = Counter()
        self.drawn: Counter[str] = Counter()
        self.begin()

    def begin(self) -> None:
        self._cards: list[str] = []
        self._holds: list[str] = []
        self._cut = False

    def listen(self, report: Report) -> None:
        for observation in report.observations:
            if isinstance(observation, CardSeen):
                self._cards.append(f"{observation.rank}{observation.suit}" if observation.rank else "?")
            self._cut |= isinstance(observation, CutCard)
        self._holds += [trouble.code for trouble in report.troubles if trouble.hold]

    @property
    def seen(self) -> Seen:
        return Seen(tuple(self._cards), self._cut, tuple(dict.fromkeys(self._holds)))

    @property
    def has_come(self) -> bool:
        return bool(self._cards or self._cut or "SHOE_CARD_PULLED_BACK" in self._holds)

    def end(self, draw: Draw) -> None:
        seen = self.seen
        self.results[draw.kind, seen.words] += 1
        self.drawn[draw.kind] += 1
        self.named[draw.kind] += seen.cards == (draw.name,)
        if is_silent_fault(draw, seen):
            self.faults.append((draw, seen))


def listening(factory: CardSourceFactory, receive: Callable[[Report], None]) -> CardSourceFactory:
    """The same source, overheard on its way to the table."""

    def both(post: Callable[[Report], None]) -> Callable[[Report], None]:
        def send(report: Report) -> None:
            receive(report)
            post(report)

        return send

    return lambda clock, session, post, tap: factory(clock, session, both(post), tap)


async def deal(
    live: Live, reader: ReaderAtTable, account: Account, many: int, rng: np.random.Generator
) -> None:
    """Rounds of three draws, each void afterwards; the pit lifts every hold."""
    await live.until(lambda: live.device("mouth") == "live" and live.device("shoe") == "live", PATIENCE_S)
    for number, draw in enumerate(draws(rng)):
        if number == many:
            break
        if number % SHOE_DRAWS == 0:
            await live.say(ShoeLoaded(DECKS))
        if number % DRAWS_A_ROUND == 0:
            await live.say(Bet(1, 0, 1000), Close())
        account.begin()
        reader.rig.blind, reader.rig.hand, reader.rig.mute = draw.blind, draw.hand, draw.mute
        reader.draw(draw.sheets, draw.place, draw.last_ms)
        reader.rig.blind, reader.rig.hand, reader.rig.mute = (False, False), 0.0, False
        await _come(account)
        account.end(draw)
        await _lift(live)
        if number % DRAWS_A_ROUND == DRAWS_A_ROUND - 1:
            await _clear(live)


async def _come(account: Account) -> None:
    """Wait until something has come, and a moment longer for what belongs to it."""
    for _ in range(int(PATIENCE_S / 0.02)):
        await asyncio.sleep(0.02)
        if account.has_come:
            break
    await asyncio.sleep(0.05)


async def _lift(live: Live) -> None:
    for _ in range(4):
        if not live.holds:
            return
        await live.ask(Resume())
        await asyncio.sleep(0.01)


async def _clear(live: Live) -> None:
    for observation in (Void(None, "pit:p7", "next"), End()):
        await live.ask(Observe(observation))
    await _lift(live)


def run(many: int, seed: int) -> Account:
    """Deal so many draws at a table on a new journal."""
    rng, account, reader = np.random.default_rng(seed), Account(), ReaderAtTable(seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        config = TableConfig.model_validate(
            {
                "table": {"name": "BJ1", "rules": "spielbank", "second_person": BY_ONE},
                "journal": {"file": folder / "table.journal", "slow_ms": 60_000},
                "web": {"port": 0},
                "software": {"allow_unreleased": True},
                "shoe": reader.shoe,
                "camera": [reader.mouth],
            }
        )
        pages: list[str] = []

        async def people(table: TableTask, stop: asyncio.Event) -> None:
            live = Live(table, pages[0].rstrip("/"))
            await deal(live, reader, account, many, rng)
            stop.set()
            await asyncio.Event().wait()

        staff = TablePeople(people_kit.BOOK, AccessSettings())
        cards = listening(reader.cards(), account.listen)
        setup = TableSetup(config, folder, pages.append, cards=cards, tasks=(people,), people=staff)
        try:
            asyncio.run(run_table(setup))
        finally:
            reader.close()
    return account


class Kept:
    """The count of several runs, in a file that is written after each shoe."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.shoes = 0
        self.results: Counter[tuple[str, str]] = Counter()
        self.named: Counter[str] = Counter()
        self.faults: list[str] = []
        if path is None or not path.exists():
            return
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["of"] == self._of():
            self.shoes, self.faults = kept["shoes"], kept["faults"]
            self.results.update({(kind, told): number for kind, told, number in kept["results"]})
            self.named.update(kept["named"])

    @property
    def draws(self) -> int:
        return self.results.total()

    def drawn(self, kind: str) -> int:
        return sum(number for (one, _), number in self.results.items() if one == kind)

    def add(self, account: Account) -> None:
        """Take one shoe's draws, and keep all."""
        self.shoes += 1
        self.results += account.results
        self.named += account.named
        self.faults += [f"{draw.kind} {draw.name}: {seen}" for draw, seen in account.faults]
        if self._path is None:
            return
        results = sorted((*key, number) for key, number in self.results.items())
        whole = {"of": self._of(), "shoes": self.shoes, "results": results, "named": dict(self.named)}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps({**whole, "faults": self.faults}, indent=1) + "\n", encoding="utf-8")
        new.replace(self._path)

    @staticmethod
    def _of() -> str:
        """What the count is of: the design, the firmware, and how it is drawn."""
        digest = hashlib.sha256(repr(READER).encode())
        drawn = [Path(__file__).parent / f"{name}.py" for name in ("passages", "pictures")]
        for path in [*(FIRMWARE / f"{name}.py" for name in MODULES), *drawn]:
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def table(self) -> str:
        """What each kind of draw gave, as a table."""
        lines = []
        for kind in KINDS:
            outcomes = sorted(
                ((n, told) for (one, told), n in self.results.items() if one == kind), reverse=True
            )
            told = ", ".join(f"{words} {number}" for number, words in outcomes)
            lines.append(f"| {kind} | {self.drawn(kind)} | {self.named[kind]} | {told} |")
        return "\n".join([*lines, *(f"SILENT: {fault}" for fault in self.faults)]) + "\n"


def go_on(kept: Kept, many: int) -> None:
    """Deal shoe after shoe, each with its own seed, until so many draws are counted."""
    while kept.draws < many:
        kept.add(run(min(SHOE_DRAWS, many - kept.draws), 1000 + kept.shoes))


def main() -> None:
    """Deal as asked for on the command line."""
    kept = Kept(Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    go_on(kept, int(sys.argv[1]))
    sys.stdout.write(kept.table())
    sys.exit(bool(kept.faults))


if __name__ == "__main__":
    main()
