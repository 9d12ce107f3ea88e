"""Whole rounds in truth and as a camera sees them: what was played, laid out, followed, and compared."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from controller.acts.catalogue import CardSeen, Correct, Decision, Observation, Peek, Reveal, ShoeLoaded
from controller.domain import RANKS, SUITS, Card
from controller.engine import TableState, expected, legal, new_table, step
from controller.engine.hands import hidden_hole, hole_of, makes_blackjack, up_rank
from controller.engine.state import Hand
from controller.feed.feed_lines import FeedLine
from controller.feed.feed_table import TableScript
from controller.feed.replay import Json, Played, to_lines
from controller.policy import House, TableOptions
from controller.replay.table_file import line_json
from controller.replay.watched_table import Look, WatchedTable
from controller.rules import load_file
from controller.simulation.moves import amounts, guest_bets, guest_decision, guest_insurance
from drivers.simulated import SimulatedShoeCards
from tests.witnesses.simulated_felt import TICK_MS, USUAL, CameraErrors, SimulatedFelt

WHIM: Final = 0.08
"""Share of decisions that follow a whim instead of basic strategy."""

DEALT: Final = ("DEAL_BOX", "DEAL_DEALER", "DEAL_DEALER_DOWN", "CARD_OWED", "DRAW")

FAULTS: Final = (
    *("shoe misread", "shoe lost", "shoe doubled"),
    *("camera misread", "camera lost", "camera doubled"),
)

REMOVED: Final = ("bust", "surrendered")
"""Hands whose cards are taken away at once."""


class Outcome(NamedTuple):
    """How a watched round ended: right, held (by the codes that nobody could answer) or wrong.

    `asked` are the questions that the dealer has answered on the way.
    """

    verdict: str
    codes: tuple[str, ...]
    asked: tuple[str, ...]
    said: tuple[Json, ...]


class SimulatedRound:
    """One table, its truth, its felt, and the table that a camera's views are brought to."""

    def __init__(
        self,
        house: str,
        seed: int,
        errors: CameraErrors = USUAL,
        *,
        shoe: bool = False,
        faults: float = 0.0,
        **options: Any,
    ) -> None:
        self.chance = Random(f"{house} {seed}")
        file = load_file(house, Path())
        rules = file.rules._replace(hit_on_21=False)
        self.truth: TableState = new_table(rules)
        script = TableScript(rules, House(file.irregularities, TableOptions(**options)), iter(()))
        self.table = WatchedTable(script, with_shoe=shoe)
        self.with_shoe, self.faults = shoe, faults
        self.injected: list[str] = []
        self.felt = SimulatedFelt(self.chance, errors)
        self.shoe = SimulatedShoeCards(self.chance, rules.decks)
        self.cards: dict[int, Card] = {}
        self.decided: dict[tuple[int, int, int], str] = {}
        self.beside = self.chance.random() < 0.4
        self.mirrored = self.chance.random() < 0.2
        self.lines: list[FeedLine] = []
        self.looks: list[Any] = []
        self.said: list[Json] = []
        self.asked: list[str] = []
        self.stuck: list[str] = []

    # The truth

    def play(self) -> Outcome:
        """Play one round to its end."""
        if self.truth.book.rules.burn_cards:
            self.tell(ShoeLoaded(self.truth.book.rules.decks))
        for _ in range(400):
            if self.stuck or not self.go_on():
                break
        self.pass_time(4500)
        return self.judge()

    def go_on(self) -> bool:
        """Do the one next thing; False once the table is cleared."""
        act = {
            **dict.fromkeys(DEALT, self.deal),
            "BURN": self.burn,
            "PLACE_BETS": self.bet,
            "INSURANCE": lambda: self.tell(guest_insurance(legal(self.truth), self.chance)),
            "PEEK": lambda: self.tell(Peek(self.has_blackjack())),
            "PLAYER": self.decide,
            "REVEAL": self.reveal,
        }.get(expected(self.truth).code)
        if act is None:
            self.clear()
            return False
        act()
        self.take_away_done()
        return True

    def burn(self) -> None:
        card = next(self.shoe)
        self.step(CardSeen(*card))
        if self.with_shoe:
            self.say(CardSeen(*card))

    def bet(self) -> None:
        for bet in guest_bets(self.truth.book.rules, self.chance):
            self.tell(bet)

    def step(self, observation: Observation) -> None:
        before = self.truth
        self.truth, _ = step(self.truth, observation)
        assert self.truth is not before, observation

    def tell(self, observation: Observation) -> None:
        """Something that no card shows: it happens, and the dealer tells it."""
        self.step(observation)
        self.pass_time(self.chance.randint(200, 900))
        self.say(observation)

    def say(self, observation: Observation, by: object = None) -> None:
        line = FeedLine(len(self.lines) + 2, self.felt.now_ms / 1000, observation, by)
        self.lines.append(line)
        self.receive(self.table.take_line(line))

    def deal(self) -> None:
        card = next(self.shoe)
        down = expected(self.truth).code == "DEAL_DEALER_DOWN"
        pose = "across" if self.is_double() else "along"
        rank, suit = (None, None) if down else card
        self.step(CardSeen(rank, suit, face="down" if down else "up"))
        n = self.truth.cards_seen
        self.cards[n] = card
        box, hand, place = self.place_of(n)
        at = self.at_mm(box, hand, place)
        turn = 90.0 if box == 0 or pose == "along" else 0.0
        fault = self.fault(down=down) if self.with_shoe else ""
        if self.with_shoe and fault != "shoe lost":
            self.say(CardSeen(*(self.other(card) if fault == "shoe misread" else card)))
            if fault == "shoe doubled":
                self.say(CardSeen(*card))
        if fault != "camera lost":
            seen = self.other(card) if fault == "camera misread" and not down else card
            self.felt.lay(n, seen, box, at, turn, "down" if down else "up")
        if fault == "camera doubled":
            self.felt.lay(-n, card, box, (at[0] + 12, at[1] - 12), turn, "down" if down else "up")
        self.pass_time(self.chance.randint(500, 1500))

    def fault(self, *, down: bool) -> str:
        """What goes wrong with this card, mostly nothing."""
        if self.chance.random() >= self.faults:
            return ""
        fault = self.chance.choice(FAULTS)
        if down and fault == "camera misread":
            return ""
        self.injected.append(fault)
        return fault

    def other(self, card: Card) -> Card:
        """Another card than this one, mostly of another rank."""
        return next(other for other in (self.any_card() for _ in range(99)) if other != card)

    def any_card(self) -> Card:
        return Card(self.chance.choice(RANKS), self.chance.choice(SUITS))

    def is_double(self) -> bool:
        return any(hand.owed == 2 for box in self.truth.boxes for hand in box.hands)

    def has_blackjack(self) -> bool:
        hole = hole_of(self.truth.dealer)
        return hole is not None and makes_blackjack(up_rank(self.truth.dealer), self.cards[hole.n].rank)

    def decide(self) -> None:
        acts = [act for act in legal(self.truth) if act.code is None]
        said = guest_decision(self.truth, acts)
        allowed = [act.action for act in acts if act.action in ("hit", "stand", "double", "split")]
        if self.chance.random() < WHIM:
            said = said._replace(action=self.chance.choice(allowed))
        _, hand = self.truth.current or (None, Hand(0))
        self.decided[said.box, said.hand, len(hand.cards)] = said.action
        self.step(said)
        if said.action == "surrender":
            self.pass_time(300)
            self.say(said)
        self.pass_time(self.chance.randint(300, 1200))
        if said.action == "split":
            self.lay_out(said.box)
            self.pass_time(self.chance.randint(700, 1500))

    def reveal(self) -> None:
        hole = hole_of(self.truth.dealer)
        assert hole is not None
        self.step(Reveal(*self.cards[hole.n]))
        if hole.n in self.felt.laid:
            self.felt.turn_up(hole.n)
        self.pass_time(self.chance.randint(700, 1500))

    def take_away_done(self) -> None:
        gone = [
            seen.n
            for box in self.truth.boxes
            for hand in box.hands
            if hand.status in REMOVED
            for seen in hand.cards
            if seen.n in self.felt.laid
        ]
        if gone:
            self.pass_time(self.chance.randint(700, 1500))
            self.felt.take_away(gone)

    def clear(self) -> None:
        if hidden_hole(self.truth.dealer) and self.chance.random() < 0.5:
            hole = hole_of(self.truth.dealer)
            assert hole is not None
            if hole.n in self.felt.laid:
                self.felt.turn_up(hole.n)
            self.pass_time(1200)
        self.pass_time(1500)
        self.felt.take_away(list(self.felt.laid))

    # The felt

    def place_of(self, n: int) -> tuple[int, int, int]:
        """Box, place of the hand in its box, place of the card in its hand."""
        for box in self.truth.boxes:
            for hand_at, hand in enumerate(box.hands):
                for place, seen in enumerate(hand.cards):
                    if seen.n == n:
                        return box.box, hand_at, place
        return 0, 0, [seen.n for seen in self.truth.dealer.cards].index(n)

    def at_mm(self, box: int, hand_at: int, place: int) -> tuple[float, float]:
        if box == 0:
            return 660.0 + 80.0 * place, 930.0
        x, y = 60.0 + 256.0 * (box - 1), 203.0 + 14.0 * (box - 4) ** 2
        count = len(next(one for one in self.truth.boxes if one.box == box).hands)
        slot = count - 1 - hand_at if self.mirrored else hand_at
        if self.beside:
            return x + 82.0 * slot + 20.0 * place, y - 14.0 * place
        return x + 22.0 * place, y + 150.0 * slot - 7.0 * place

    def lay_out(self, number: int) -> None:
        """Push the cards of a box to where its hands lie now."""
        box = next(one for one in self.truth.boxes if one.box == number)
        for hand_at, hand in enumerate(box.hands):
            for place, seen in enumerate(hand.cards):
                if seen.n in self.felt.laid:
                    self.felt.move(seen.n, self.at_mm(number, hand_at, place))

    def pass_time(self, ms: int) -> None:
        end = self.felt.now_ms + ms
        while self.felt.now_ms < end:
            self.felt.now_ms += TICK_MS
            look = Look(self.felt.view(), f"{self.felt.now_ms}")
            self.looks.append(look)
            self.receive(self.table.look(look))

    # The table that watches

    def receive(self, played: Any) -> None:
        """Take what the table says; the dealer answers what he is asked by what was in truth done."""
        held: list[Json] = []
        for one in played:
            held += self.note(one)
        for hold in held:
            self.answer(hold)

    def note(self, played: Played) -> list[Json]:
        lines = list(to_lines(played, "", lambda code, _: code))
        self.said += lines
        return [line for line in lines if line["type"] == "hold"]

    def answer(self, hold: Json) -> None:
        code, params = hold["code"], hold.get("params", {})
        answers: dict[str, Callable[[], bool]] = {
            "DECISION_UNCLEAR": lambda: self.answer_decision(params["box"], params["hand"]),
            "CARD_UNREAD": self.answer_card,
            "CARD_READ_DIFFERENTLY": lambda: not self.table.run.holds or self.answer_card(),
        }
        answered = code in answers and answers[code]()
        (self.asked if answered else self.stuck).append(code)

    def answer_decision(self, box: int, number: int) -> bool:
        hands = [hand for one in self.state.boxes if one.box == box for hand in one.hands]
        hand = next(hand for hand in hands if hand.number == number)
        action = self.decided.get((box, number, len(hand.cards)))
        if action is None:
            return False
        self.say(Decision(box, number, action))  # type: ignore[arg-type]  # one of the five
        return True

    def answer_card(self) -> bool:
        for fact in self.state.log:
            card = fact.obs
            if isinstance(card, CardSeen) and card.rank is None and card.face != "down":
                n = self.card_at(card)
                if n not in self.cards:
                    return False
                truth = self.cards[n]
                self.say(Correct(fact.n, None, *truth, "dealer", "read"))
                return True
        return False

    def card_at(self, seen: CardSeen) -> int:
        """The number of the card that somebody finds where the table asks for one; 0: none."""
        return self.felt.tracks.get(int((seen.id or "").rpartition(".")[2] or 0), 0)

    @property
    def state(self) -> TableState:
        return self.table.run.state

    def judge(self) -> Outcome:
        """Compare what was settled with the truth."""
        rounds = [line for line in self.said if line["type"] == "round" and line["round"] == 1]
        codes, asked, said = tuple(self.stuck), tuple(self.asked), tuple(self.said)
        if self.stuck:
            return Outcome("held", codes, asked, said)
        if not rounds or rounds[-1]["status"] != "settled":
            return Outcome("open", ("OPEN",), asked, said)
        paid = {(bet["box"], bet["seat"]): (bet["staked"], bet["returned"]) for bet in rounds[-1]["bets"]}
        ended = self.state.book.number == 2
        return Outcome("right" if paid == amounts(self.truth) and ended else "wrong", (), asked, said)

    def write(self, folder: Path, name: str) -> None:
        """Keep the round: its feed, and what the camera saw."""
        folder.mkdir(parents=True, exist_ok=True)
        feed = "".join(json.dumps(line_json(line)) + "\n" for line in self.lines)
        (folder / f"{name}.feed.jsonl").write_text(feed)
        (folder / f"{name}.said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in self.said))
