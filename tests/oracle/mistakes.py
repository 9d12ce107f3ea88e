"""Mistakes that people make in telling a round, each with the ruling that mends it.

A mistake is written into the lines of a clean round: what was told wrongly, and, at once or at the end, what
the pit rules. Whoever plays the lines has to end where the clean round ends.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from deal import RANKS, Dealt

from tests.whole.settlement import Rules

Line = dict[str, Any]
RULING = {"by": "pit", "reason": "seen on the felt"}
ALL_ACTIONS = ("hit", "stand", "double", "split", "surrender")


class Mistake(NamedTuple):
    """What was done wrongly, and the lines of the feed with it and with its ruling."""

    kind: str
    lines: list[Line]


class Made(NamedTuple):
    """One decision of a clean round: its line, its hand, its number in the hand, whether a card made it."""

    at: int
    box: int
    hand: int
    nth: int
    by_card: bool


def decisions(lines: list[Line]) -> list[Made]:
    """The decisions of a round whose cards all say where they lie, numbered hand by hand."""
    found: list[Made] = []
    cards: dict[tuple[int, int], int] = {}
    counted: dict[tuple[int, int], int] = {}
    owed: set[tuple[int, int]] = set()
    for at, line in enumerate(lines):
        hand = (line.get("box", 0), line.get("hand", 0))
        if line["obs"] == "decision":
            counted[hand] = counted.get(hand, 0) + 1
            found.append(Made(at, *hand, counted[hand], by_card=False))
            if line["action"] in ("hit", "double"):
                owed.add(hand)
            if line["action"] == "split":
                new = (hand[0], max(number for box, number in cards if box == hand[0]) + 1)
                cards[hand], cards[new] = 1, 1
        elif line["obs"] == "card" and line.get("to") == "box":
            if hand in owed or cards.get(hand, 0) < 2:
                owed.discard(hand)
            else:
                counted[hand] = counted.get(hand, 0) + 1
                found.append(Made(at, *hand, counted[hand], by_card=True))
            cards[hand] = cards.get(hand, 0) + 1
    return found


def amend(made: Made, action: str | None, **more: object) -> Line:
    """The ruling about a decision."""
    hand = {"box": made.box, "hand": made.hand, "nth": made.nth}
    return {"obs": "amend", "what": "decision", **hand, "action": action, **more, **RULING}


class Mistaken:
    """Makes one mistake of a kind in a clean round; None where the round has nothing to be mistaken about."""

    def __init__(self, dealt: Dealt, rules: Rules, rng: random.Random) -> None:
        """Take a round whose cards all say where they lie."""
        self.lines = dealt.lines
        self.bets = dealt.bets
        self.rules = rules
        self.rng = rng

    def ruled(self, wrong: list[Line], at: int, ruling: Line) -> list[Line]:
        """The wrong lines with the ruling: right after line `at`, or when everything has been told."""
        if self.rng.random() < 0.5:
            return [*wrong[: at + 1], ruling, *wrong[at + 1 :]]
        return [*wrong, ruling]

    def with_line(self, at: int, line: Line) -> list[Line]:
        """The lines with one of them told otherwise."""
        return [*self.lines[:at], line, *self.lines[at + 1 :]]

    def stake(self) -> list[Line] | None:
        """The stake of a bettor was another one, or nobody had entered it."""
        told = {(line["box"], line["seat"]): at for at, line in enumerate(self.lines) if line["obs"] == "bet"}
        (box, seat), at = self.rng.choice(sorted(told.items()))
        true = self.lines[at]["stake"]
        wrong = self.rng.choice([stake for stake in (true * 2, true // 2, true + 200, 0) if stake != true])
        ruling = {"obs": "amend", "what": "stake", "box": box, "seat": seat, "stake": true, **RULING}
        last = len(self.lines) - 1
        dealt = [i for i, line in enumerate(self.lines) if line["obs"] == "card"][self.rules["burn_cards"]]
        later = self.rng.randint(dealt, last)
        wrong_lines = self.with_line(at, {**self.lines[at], "stake": wrong})
        return [*wrong_lines[: later + 1], ruling, *wrong_lines[later + 1 :]]

    def decision(self) -> list[Line] | None:
        """A told decision was another one: the wrong key was tapped."""
        spoken = [made for made in decisions(self.lines) if not made.by_card]
        if not spoken:
            return None
        made = self.rng.choice(spoken)
        line = self.lines[made.at]
        wrong = self.rng.choice([action for action in ALL_ACTIONS if action != line["action"]])
        extra = {key: line[key] for key in ("seats", "stakes") if key in line}
        told = {"obs": "decision", "box": made.box, "hand": made.hand, "action": wrong}
        return self.ruled(self.with_line(made.at, told), made.at, amend(made, line["action"], **extra))

    def stand(self) -> list[Line] | None:
        """A stand was told of a hand that then took a card, or did something else."""
        found = decisions(self.lines)
        if not found:
            return None
        made = self.rng.choice(found)
        stood = {"obs": "decision", "box": made.box, "hand": made.hand, "action": "stand"}
        wrong = [*self.lines[: made.at], stood, *self.lines[made.at :]]
        return [*wrong[: made.at + 1], amend(made, None), *wrong[made.at + 1 :]]

    def untold(self) -> list[Line] | None:
        """A hit by a card was told as a stand beforehand, and the card was found at a hand that had stood."""
        found = [made for made in decisions(self.lines) if made.by_card]
        found = [made for made in found if self.lines[made.at].get("pose") != "across"]
        if not found:
            return None
        made = self.rng.choice(found)
        stood = {"obs": "decision", "box": made.box, "hand": made.hand, "action": "stand"}
        wrong = [*self.lines[: made.at], stood, *self.lines[made.at :]]
        return self.ruled(wrong, made.at + 1, amend(made, "hit"))

    def double(self) -> list[Line] | None:
        """A double was told as a hit, its card laid along."""
        found = decisions(self.lines)
        found = [made for made in found if self.lines[made.at].get("action") == "double"]
        if not found:
            return None
        made = self.rng.choice(found)
        line = self.lines[made.at]
        extra = {key: line[key] for key in ("seats", "stakes") if key in line}
        wrong = self.with_line(
            made.at, {"obs": "decision", "box": made.box, "hand": made.hand, "action": "hit"}
        )
        card = next(
            at
            for at in range(made.at + 1, len(wrong))
            if wrong[at]["obs"] == "card" and (wrong[at].get("box"), wrong[at].get("hand")) == made[1:3]
        )
        wrong[card] = {key: value for key, value in wrong[card].items() if key != "pose"}
        return self.ruled(wrong, card, amend(made, "double", **extra))

    def answer(self) -> list[Line] | None:
        """Insurance or even money was told wrongly, or one for the other."""
        kinds = ("insurance", "even_money")
        told = {(line["box"], line["seat"]): at for at, line in enumerate(self.lines) if line["obs"] in kinds}
        if not told:
            return None
        (box, seat), at = self.rng.choice(sorted(told.items()))
        line, who = self.lines[at], {"box": box, "seat": seat}
        half = self.bets[box, seat] // 2
        if line["obs"] == "even_money":
            wrong: Line = {"obs": "insurance", **who, "stake": 0}
            ruling: Line = {"obs": "amend", "what": "even_money", **who, "taken": True, **RULING}
        else:
            wrong = {"obs": "insurance", **who, "stake": half if not line["stake"] else 0}
            ruling = {"obs": "amend", "what": "insurance", **who, "stake": line["stake"], **RULING}
        return self.ruled(self.with_line(at, wrong), at, ruling)

    def peek(self) -> list[Line] | None:
        """The look was told wrongly."""
        looks = [at for at, line in enumerate(self.lines) if line["obs"] == "peek"]
        if not looks:
            return None
        at, true = looks[0], self.lines[looks[0]]["blackjack"]
        wrong = self.with_line(at, {"obs": "peek", "blackjack": not true})
        return self.ruled(wrong, at, {"obs": "amend", "what": "peek", "blackjack": true, **RULING})

    def reveal(self) -> list[Line] | None:
        """The turning was told before its time, and taken back."""
        turned = [line for line in self.lines if line["obs"] == "reveal"]
        found = decisions(self.lines)
        if not turned or not found:
            return None
        at = self.rng.choice(found).at
        ruling = {"obs": "amend", "what": "reveal", **RULING}
        return [*self.lines[:at], turned[0], ruling, *self.lines[at:]]

    def close(self) -> list[Line] | None:
        """ "No more bets" was told too early, and taken back."""
        bets = [at for at, line in enumerate(self.lines) if line["obs"] == "bet"]
        at = self.rng.choice(bets[1:] or bets) if len(bets) > 1 else None
        if at is None:
            return None
        ruling = {"obs": "amend", "what": "close", **RULING}
        return [*self.lines[:at], {"obs": "close"}, ruling, *self.lines[at:]]

    def swap(self) -> list[Line] | None:
        """The cards of two hands were read at one another's place."""
        hands: dict[tuple[int, int], list[int]] = {}
        split = {line["box"] for line in self.lines if line.get("action") == "split"}
        for at, line in enumerate(self.lines):
            if line["obs"] == "card" and line.get("to") == "box" and line["box"] not in split:
                hands.setdefault((line["box"], line["hand"]), []).append(at)
        pairs = [(a, b) for a in hands for b in hands if a < b and len(hands[a]) == len(hands[b])]
        if not pairs:
            return None
        one, other = self.rng.choice(pairs)
        wrong = [dict(line) for line in self.lines]
        at_once = self.rng.random() < 0.5
        for left, right in list(zip(hands[one], hands[other], strict=True))[: 2 if at_once else None]:
            for key in ("rank", "suit"):
                wrong[left][key], wrong[right][key] = wrong[right][key], wrong[left][key]
        names = [{"box": box, "hand": hand} for box, hand in (one, other)]
        ruling = {"obs": "swap", "from": names[0], "with": names[1], **RULING}
        last = max(hands[one][1], hands[other][1]) + 1 if at_once else len(wrong)
        return [*wrong[:last], ruling, *wrong[last:]]

    def struck(self) -> list[Line] | None:
        """A card that does not belong to the round came before one that does, and was taken out at once."""
        cards = [at for at, line in enumerate(self.lines) if line["obs"] == "card"][
            self.rules["burn_cards"] :
        ]
        number = self.rng.randrange(len(cards))
        at = cards[number]
        kind = self.rng.choice(("boxed", "defective", "foreign", "double_read"))
        twin = {key: value for key, value in self.lines[at].items() if key != "pose"}
        twin["rank"] = self.rng.choice(RANKS) if twin["rank"] is not None else None
        strike = {"obs": "strike", "card": number + 1, "as": kind, **RULING}
        return [*self.lines[:at], twin, strike, *self.lines[at:]]


KINDS: dict[str, Callable[[Mistaken], list[Line] | None]] = {
    "stake": Mistaken.stake,
    "decision": Mistaken.decision,
    "stand": Mistaken.stand,
    "untold": Mistaken.untold,
    "double": Mistaken.double,
    "answer": Mistaken.answer,
    "peek": Mistaken.peek,
    "reveal": Mistaken.reveal,
    "close": Mistaken.close,
    "swap": Mistaken.swap,
    "struck": Mistaken.struck,
}


def mistakes(dealt: Dealt, rules: Rules, rng: random.Random) -> Iterator[Mistake]:
    """One mistake of each kind that the round leaves room for."""
    for kind, make in KINDS.items():
        lines = make(Mistaken(dealt, rules, rng))
        if lines is not None:
            yield Mistake(kind, lines)
