"""Deals a random legal round from a seed, as feed objects, with the description for the naive settlement.

Written from the rule text alone: it plays the table the way a dealer would and never asks the engine.
Random are the bets, the cards, the decisions, and how much the feed says by itself (places, hits, stands).
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from deal_choices import TENS, LiveHand, choices, done

from tests.whole.settlement import NaiveHand, NaiveRound, Rules, best_total, is_two_card_21

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
Obs = dict[str, Any]
Place = dict[str, Any]


@dataclass
class Dealt:
    """A dealt round: the feed objects, the description, and which bets the dealer's cards were turned for."""

    lines: list[Obs]
    played: NaiveRound
    bets: dict[tuple[int, int], int]


@dataclass
class RandomDealer:
    """Plays one round; `shy` seeds leave out what the feed may leave out."""

    rules: Rules
    rng: random.Random
    places: float = 0.4
    lines: list[Obs] = field(default_factory=list)
    deck: list[tuple[str, str]] = field(default_factory=list)
    boxes: dict[int, list[LiveHand]] = field(default_factory=dict)
    bets: dict[tuple[int, int], int] = field(default_factory=dict)
    dealer: list[str] = field(default_factory=list)
    turned: bool = False
    hole: str = ""
    hole_suit: str = ""
    hole_read: bool = False
    insurance: dict[tuple[int, int], int] = field(default_factory=dict)
    even_money: set[tuple[int, int]] = field(default_factory=set)
    frozen: set[int] = field(default_factory=set)
    silent_stand: LiveHand | None = None

    def say(self, obs: str, **fields: object) -> None:
        """Write one observation, after a stand that had been left to be inferred and now must be said."""
        if self.silent_stand is not None and obs not in ("reveal", "card"):
            self.say_stand()
        self.silent_stand = None
        self.lines.append({"obs": obs, **fields})

    def say_stand(self) -> None:
        """The stand of the hand that had not said so."""
        hand, self.silent_stand = self.silent_stand, None
        if hand is not None:
            self.lines.append({"obs": "decision", "box": hand.box, "hand": hand.number, "action": "stand"})

    def draw(self, place: Place, pose: str | None = None) -> str:
        """Take the next card and lay it at its place; the place is written now and then, or where needed."""
        rank, suit = self.deck.pop()
        told = dict(place) if self.silent_stand is not None or self.rng.random() < self.places else {}
        if pose:
            told["pose"] = pose
        self.say("card", rank=rank, suit=suit if self.rng.random() < 0.9 else None, **told)
        return rank

    # ---- the phases --------------------------------------------------------------------------------

    def round(self, fresh_shoe: bool) -> Dealt:
        """One whole round."""
        if fresh_shoe:
            self.new_shoe()
        self.place_bets()
        self.deal()
        self.offer_insurance()
        if not self.checked_blackjack():
            self.play_boxes()
        self.dealers_turn()
        hands = [
            NaiveHand(
                hand.box,
                hand.number,
                hand.cards,
                {seat: (first, added) for seat, (first, added) in hand.stakes.items()},
                hand.doubled,
                hand.split,
                hand.surrendered,
            )
            for hand in self.all_hands()
        ]
        cards = self.dealer if self.turned else self.dealer[:1]
        return Dealt(self.lines, NaiveRound(cards, hands, self.insurance, self.even_money), self.bets)

    def new_shoe(self) -> None:
        """A shuffled shoe, and its burned cards."""
        decks = self.rules["decks"]
        self.deck = [(rank, suit) for rank in RANKS for suit in "cdhs" for _ in range(decks)]
        self.rng.shuffle(self.deck)
        self.say("shoe", decks=decks)
        for _ in range(self.rules["burn_cards"]):
            rank, suit = self.deck.pop()
            self.say("card", rank=rank, suit=suit, **({"to": "burn"} if self.rng.random() < 0.3 else {}))

    def place_bets(self) -> None:
        """Random boxes and bettors; stakes that can be halved."""
        most_boxes = min(self.rules["boxes"], 3 if self.rules["decks"] == 1 else 7)
        boxes = self.rng.sample(range(1, self.rules["boxes"] + 1), self.rng.randint(1, most_boxes))
        for box in sorted(boxes):
            behind = self.rules["back_bets"]
            seats = self.rng.randint(0, 3 if behind < 0 else behind)
            for seat in range(seats + 1):
                stake = self.random_stake()
                if self.rng.random() < 0.1:
                    self.say("bet", box=box, seat=seat, stake=self.random_stake())
                self.say("bet", box=box, seat=seat, stake=stake)
                self.bets[box, seat] = stake
        if self.rng.random() < 0.5:
            self.say("close")

    def random_stake(self) -> int:
        """An even stake within the limits."""
        step = self.rules["stake_step"] or 2
        step = step if step % 2 == 0 else 2 * step
        least = max(self.rules["stake_min"], step)
        most = self.rules["stake_max"] or 5000
        return self.rng.randrange(least + least % step, most + 1, step)

    def deal(self) -> None:
        """The deal of the house: hole card second, first, or none."""
        for box in sorted({box for box, _ in self.bets}):
            stakes = {seat: [stake, 0] for (bet_box, seat), stake in self.bets.items() if bet_box == box}
            self.boxes[box] = [LiveHand(box, 1, [], stakes)]
        order = {
            "second_down": (self.deal_boxes, self.deal_open, self.deal_boxes, self.deal_hole),
            "first_down": (self.deal_boxes, self.deal_hole, self.deal_boxes, self.deal_open),
            "none": (self.deal_boxes, self.deal_open, self.deal_boxes),
        }
        for act in order[self.rules["hole_card"]]:
            act()

    def deal_boxes(self) -> None:
        """One card to each box."""
        for box, hands in self.boxes.items():
            hands[0].cards.append(self.draw({"to": "box", "box": box, "hand": 1}))

    def deal_open(self) -> None:
        """The dealer's open card."""
        self.dealer.insert(0, self.draw({"to": "dealer"}))

    def deal_hole(self) -> None:
        """The covered card, read by the shoe or by nobody."""
        self.hole, self.hole_suit = self.deck.pop()
        self.hole_read = self.rng.random() < 0.5
        rank, suit = (self.hole, self.hole_suit) if self.hole_read else (None, None)
        self.say("card", rank=rank, suit=suit, face="down")

    def offer_insurance(self) -> None:
        """Against an ace each bettor answers or says nothing; who says nothing has declined."""
        if self.dealer[0] != "A" or not (self.rules["insurance"] != "none" or self.rules["even_money"]):
            return
        answers = [self.answer(box, seat) for box, seat in self.bets]
        if not all(answers) or self.rules["insurance"] == "none":
            self.say("insurance_closed")

    def answer(self, box: int, seat: int) -> bool:
        """One bettor's answer; False when he says nothing."""
        natural = is_two_card_21(self.boxes[box][0].cards)
        stake = self.bets[box, seat]
        choice = self.rng.random()
        if natural and self.rules["even_money"] and choice < 0.4:
            self.say("even_money", box=box, seat=seat)
            self.even_money.add((box, seat))
            return True
        alone = not self.rules["insurance_ends_turn"] or (box, 1) not in self.bets
        may_insure = self.rules["insurance"] != "none" and alone
        may_insure = may_insure and (not natural or self.rules["insure_blackjack"])
        if may_insure and 0.4 <= choice < 0.7:
            half = self.rules["insurance"] == "half"
            self.insurance[box, seat] = stake // 2 if half else self.rng.randint(1, stake // 2)
            self.say("insurance", box=box, seat=seat, stake=self.insurance[box, seat])
            if self.rules["insurance_ends_turn"]:
                self.frozen.add(box)
            return True
        if may_insure and choice >= 0.85:
            self.say("insurance", box=box, seat=seat, stake=0)
            return True
        return False

    def checked_blackjack(self) -> bool:
        """The dealer's check where the house has one; True when it ends the round."""
        if self.rules["peek"] == "none" or not self.open_bets():
            return False
        if self.dealer[0] not in (*TENS, "A"):
            return False
        blackjack = is_two_card_21([self.dealer[0], self.hole])
        if not self.hole_read or self.rng.random() < 0.3:
            self.say("peek", blackjack=blackjack)
        return blackjack

    def open_bets(self) -> bool:
        """Whether any bet is still to be decided."""
        return any(bet not in self.even_money for bet in self.bets)

    # ---- the boxes ---------------------------------------------------------------------------------

    def all_hands(self) -> list[LiveHand]:
        """All hands of all boxes."""
        return [hand for hands in self.boxes.values() for hand in hands]

    def play_boxes(self) -> None:
        """Each box in turn, each hand in its order of play."""
        for box, hands in self.boxes.items():
            if box in self.frozen or is_two_card_21(hands[0].cards):
                continue
            order = [hands[0]]
            while order:
                self.play_hand(order.pop(0), hands, order)

    def play_hand(self, hand: LiveHand, hands: list[LiveHand], order: list[LiveHand]) -> None:
        """One hand until it is done; a split puts the new hand next in `order`."""
        place = {"to": "box", "box": hand.box, "hand": hand.number}
        if len(hand.cards) == 1:
            hand.cards.append(self.draw(place))
        while (found := choices(hand, hands, self.rules, len(self.deck))) != ["stand"] or not done(
            hand, self.rules
        ):
            action = self.rng.choice(found)
            if action == "stand":
                self.stand(hand)
                return
            self.act(action, hand, hands, order)
            if action in ("double", "surrender"):
                return

    def stand(self, hand: LiveHand) -> None:
        """Stand, in words or by what comes next."""
        if self.silent_stand is not None:
            self.say_stand()
        self.silent_stand = hand
        if self.rng.random() < 0.7:
            self.say_stand()

    def act(self, action: str, hand: LiveHand, hands: list[LiveHand], order: list[LiveHand]) -> None:
        """Say the action and deal its cards."""
        place = {"to": "box", "box": hand.box, "hand": hand.number}
        spoken = {"box": hand.box, "hand": hand.number, "action": action}
        hand.acted = True
        if action == "hit":
            if self.rng.random() < 0.3:
                self.say("decision", **spoken)
            hand.cards.append(self.draw(place))
        elif action == "surrender":
            self.say("decision", **spoken)
            hand.surrendered = True
        elif action == "double":
            self.double(hand, spoken, place)
        else:
            self.split(hand, hands, order, spoken, place)

    def riders(self, hand: LiveHand) -> dict[int, bool]:
        """Who adds money; the holder always does, the others mostly."""
        return {seat: seat == 0 or self.rng.random() < 0.7 for seat in hand.stakes}

    def who_adds(self, hand: LiveHand, adds: dict[int, bool]) -> dict[str, Any]:
        """The words for it: nothing when all add, else seats or stakes."""
        if all(adds.values()) and self.rng.random() < 0.6:
            return {}
        if self.rng.random() < 0.5:
            return {"seats": [seat for seat, yes in adds.items() if yes]}
        return {"stakes": {str(seat): hand.stakes[seat][0] if yes else 0 for seat, yes in adds.items()}}

    def double(self, hand: LiveHand, spoken: Obs, place: Place) -> None:
        """Double in words, or by a card laid across when all add."""
        adds = self.riders(hand) if 0 in hand.stakes else dict.fromkeys(hand.stakes, True)
        hand.doubled = True
        if all(adds.values()) and self.silent_stand is None and self.rng.random() < 0.3:
            hand.cards.append(self.draw(place, "across"))
        else:
            self.say("decision", **spoken, **self.who_adds(hand, adds))
            hand.cards.append(self.draw(place, self.rng.choice([None, "across"])))
        for seat, yes in adds.items():
            hand.stakes[seat][1] = hand.stakes[seat][0] if yes else 0

    def split(
        self, hand: LiveHand, hands: list[LiveHand], order: list[LiveHand], spoken: Obs, place: Place
    ) -> None:
        """Make the next free number; who does not add stays on the old hand."""
        adds = self.riders(hand) if 0 in hand.stakes else dict.fromkeys(hand.stakes, True)
        self.say("decision", **spoken, **self.who_adds(hand, adds))
        aces = hand.cards[0] == "A"
        stakes = {seat: [hand.stakes[seat][0], 0] for seat, yes in adds.items() if yes}
        new = LiveHand(hand.box, len(hands) + 1, [hand.cards.pop()], stakes, split=True, aces=aces)
        hand.split, hand.aces, hand.acted = True, aces, False
        hands.append(new)
        order.insert(0, new)
        hand.cards.append(self.draw(place))
        if self.rules["split_draw"] == "both":
            new.cards.append(self.draw({**place, "hand": new.number}))

    # ---- the dealer --------------------------------------------------------------------------------

    def undecided(self) -> tuple[bool, bool]:
        """Whether a bet needs the dealer's second card, and whether one needs his total."""
        could = self.dealer[0] in (*TENS, "A")
        checked = self.rules["peek"] != "none" and could and not is_two_card_21([self.dealer[0], self.hole])
        second = bool(self.insurance) and not checked
        total = False
        for hand in self.all_hands():
            waiting = any((hand.box, seat) not in self.even_money for seat in hand.stakes)
            if not waiting or hand.surrendered or best_total(self.counted(hand)) > 21:
                continue
            if is_two_card_21(hand.cards) and (not hand.split or self.rules["split_21_is_blackjack"]):
                second = second or (could and not checked)
            else:
                total = True
        return second, total

    def counted(self, hand: LiveHand) -> list[str]:
        """The cards as they count for being above 21: a frozen ace of 2 as a two."""
        frozen = self.rules["soft_double_ace"]
        if not (hand.doubled and frozen and "A" in hand.cards[:2]):
            return hand.cards
        cards = list(hand.cards)
        cards[cards.index("A")] = str(frozen) if frozen > 1 else "A"
        return cards

    def dealers_turn(self) -> None:
        """Turn or take the second card where a bet needs it, then draw to 17 where one needs the total."""
        second, total = self.undecided()
        if not (second or total):
            if self.silent_stand is not None:
                self.say_stand()
            return
        self.turned = True
        if self.rules["hole_card"] == "none":
            self.dealer.append(self.draw({"to": "dealer"}))
        else:
            told = self.rng.random() < 0.3 or not self.hole_read
            self.say("reveal", **({"rank": self.hole, "suit": self.hole_suit} if told else {}))
            self.dealer.append(self.hole)
        if is_two_card_21(self.dealer) or not total:
            return
        while self.must_draw():
            self.dealer.append(self.draw({"to": "dealer"}))

    def must_draw(self) -> bool:
        """Draw at 16; at a soft 17 where the house says so."""
        total = best_total(self.dealer)
        low = sum(1 if rank == "A" else min(10, RANKS.index(rank) + 1) for rank in self.dealer)
        return total < 17 or (total == 17 and low != 17 and self.rules["dealer_hits_soft_17"])


def deal_round(rules: Rules, seed: int, places: float = 0.4) -> Dealt:
    """A round out of a fresh shoe, the same for the same arguments; `places` is the share of placed cards."""
    return RandomDealer(rules, random.Random(seed), places).round(fresh_shoe=True)


def deal_shoe(rules: Rules, seed: int) -> Iterator[Dealt]:
    """Rounds out of one shoe until it runs low; each but the last is ended in words or by the next bet."""
    rng = random.Random(seed)
    table = RandomDealer(rules, rng)
    fresh = True
    while fresh or len(table.deck) > 120:
        dealt = table.round(fresh)
        if rng.random() < 0.5:
            dealt.lines.append({"obs": "end"})
        yield dealt
        table, fresh = RandomDealer(rules, rng, deck=table.deck), False
