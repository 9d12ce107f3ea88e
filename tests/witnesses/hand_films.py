"""Rounds in which the dealer's hand stops with a card over boxes on its way: scripted, or by chance.

Each is played as observations of a camera (`SeenFilm`) or from drawn pixels (`DrawnFilm`).

    python -m tests.witnesses.hand_films 30 nl de spielbank fr it --unseen 0.1 --done FILE

plays so many films of each house as observations and writes a line of JSON a film; those that stand in FILE
are not played again.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from controller.acts.catalogue import Bet, Close, Decision
from controller.acts.round import Action, Face
from controller.domain import Card, card_named
from controller.feed.replay import Json
from controller.witnesses import FeltCard, FeltReading
from tests.witnesses.drawn_felt import Stop
from tests.witnesses.drawn_rounds import DrawnRound
from tests.witnesses.felt_scenery import Place
from tests.witnesses.simulated_felt import STEADY, USUAL, CameraErrors, SimulatedFelt
from tests.witnesses.simulated_round import SimulatedRound

STOPS: Final = 0.5
STOPS_MS: Final = (500, 6000)
GOES_BACK: Final = 0.2
"""Share of the cards with which a hand stops, how long, and share of those with which it goes back."""

BETWEEN: Final = -1


class Script(NamedTuple):
    """What happens in a film: who bets, which cards come, what each hand does, where the hand stops.

    `stops` are the places by the number of the card in the round.
    """

    boxes: tuple[int, ...]
    cards: tuple[str, ...]
    actions: tuple[Action, ...]
    stops: Mapping[int, tuple[Stop, ...]]


STOOD: Final = Script((1, 2), ("10h", "10c", "9d", "9s", "2c", "10s", "8d"), ("stand", "hit", "stand"), {})
"""Box 1 stands on 19 and box 2 hits: its card, the seventh, passes box 1."""


def follow(film: SimulatedRound, script: Script) -> None:
    """Let a round go as the script says."""
    actions = iter(script.actions)
    film.shoe = iter([card_named(name[:-1], name[-1]) for name in script.cards])  # type: ignore[assignment]
    film.beside = film.mirrored = False

    def bet() -> None:
        for box in script.boxes:
            film.tell(Bet(box, 0, 1000))
        film.tell(Close())

    def decide() -> None:
        at, action = film.truth.current, next(actions)
        assert at is not None
        box, hand = at[0].box, at[1]
        film.decided[box, hand.number, len(hand.cards)] = action
        film.step(Decision(box, hand.number, action))
        film.pass_time(600)

    film.bet, film.decide = bet, decide  # type: ignore[method-assign]


class DrawnFilm(DrawnRound):
    """A round from drawn pixels: as a script says, or with two boxes and stops by chance."""

    def __init__(
        self, felt: dict[str, Any], script: Script | None = None, house: str = "nl", seed: int = 0
    ) -> None:
        super().__init__(house, seed, felt)
        self.script, self.hands = script, Random(f"hands {house} {seed}")
        if script is not None:
            follow(self, script)

    def bet(self) -> None:
        for box in sorted(self.hands.sample(range(1, 8), 2)):
            self.tell(Bet(box, 0, 1000))
        self.tell(Close())

    def deal(self) -> None:
        n = self.truth.cards_seen + 1
        stops = stops_by_chance(self, self.hands) if self.script is None else self.script.stops.get(n, ())
        self.drawn.stops = tuple(stops)
        super().deal()

    def answer(self, hold: Json) -> None:
        answer_by_hand(self, hold) or super().answer(hold)


def stops_by_chance(film: SimulatedRound, hands: Random) -> list[Stop]:
    """Where a hand stops with a card: over boxes, over the dealer, between them, and back once more."""
    if hands.random() >= STOPS:
        return []
    stops = [_stop(film, hands) for _ in range(hands.randint(1, 2))]
    return [*stops, stops[0]] if hands.random() < GOES_BACK else stops


def _stop(film: SimulatedRound, hands: Random) -> Stop:
    over = hands.choice([BETWEEN, 0, *(box.box for box in film.truth.boxes)])
    ms = hands.randint(*STOPS_MS)
    if over == BETWEEN:
        return Stop((hands.uniform(100, 1700), 850.0), ms)
    x, y = film.at_mm(over, 0, 1) if over else (hands.uniform(620, 1250), 930.0)
    return Stop((x + hands.uniform(-60, 120), y + hands.uniform(-30, 120)), ms)


def box_at(at_mm: Place) -> int | None:
    """The box at a place of the simulated felt, 0 the dealer, None between them."""
    x, y = at_mm
    return 0 if y > 868 else None if y > 830 else min(7, max(1, round((x + 120) / 256)))


class HandFaults(NamedTuple):
    """What a camera makes of hands; shares of stops and of cards."""

    unseen: float = 0.0
    """Stops at which it sees no hand, though one holds the card."""
    imagined: float = 0.0
    """Cards that lie free, on which it goes on seeing a hand until somebody clears what lies beside."""


SURE: Final = HandFaults()
"""A camera that sees every hand."""

Looks = Callable[[FeltCard], FeltCard]

LOOKS: Final[tuple[Looks, ...]] = (
    lambda card: card,
    lambda card: card._replace(turn_deg=None),
    lambda card: card._replace(card=None, certain=False),
    lambda card: card._replace(card=None, certain=False, turn_deg=None),
    lambda card: card._replace(track=0, card=None, certain=False, turn_deg=None),
)
"""How a card in a hand may look: read, an index alone, unread, an unread index, followed by no track."""


@dataclass
class HandFelt(SimulatedFelt):
    """A felt to which each card comes in a hand that may stop on its way."""

    faults: HandFaults = SURE
    shown: FeltCard | None = None
    leaves_ms: int = 0
    fresh: int = 0
    imagined: int = 0

    def view(self) -> FeltReading:
        view = super().view()
        free = {self.laid[n].track for n in self.laid if n not in (self.fresh, self.imagined)}
        cards = [
            card
            if card.track in free
            else card._replace(held=self.now_ms < self.leaves_ms or self._is_imagined(card))
            for card in view.cards
        ]
        held = [] if self.shown is None else [self.shown]
        tracked = tuple(card for card in held if card.track)
        return view._replace(cards=(*cards, *tracked), unread=tuple(card for card in held if not card.track))

    def _is_imagined(self, card: FeltCard) -> bool:
        return self.imagined in self.laid and self.laid[self.imagined].track == card.track

    def show(self, n: int, card: Card, face: Face, stop: Stop) -> None:
        """Let the camera see the card at a stop of the hand."""
        look = self.chance.choice(LOOKS)
        track = self._track(n)
        seen = self.chance.random() >= self.faults.unseen
        read = card if face == "up" else None
        box = box_at(stop.at_mm)
        shown = FeltCard(
            track, read, face, stop.at_mm, 90.0, box, 0.9999, box_clear=box is not None, held=seen
        )
        self.shown = look(shown)


class SeenFilm(SimulatedRound):
    """A round as a camera knows it, picture by picture, with a hand that stops by chance."""

    def __init__(
        self,
        house: str,
        seed: int,
        errors: CameraErrors,
        faults: HandFaults = SURE,
        script: Script | None = None,
    ) -> None:
        super().__init__(house, seed, errors)
        self.hands = Random(f"hands {house} {seed}")
        self.felt = self.seen = HandFelt(self.chance, errors, faults=faults)
        self.script = script
        self.false: list[str] = []
        """Questions of a kind that nothing on the felt called for."""
        if script is not None:
            follow(self, script)

    def deal(self) -> None:
        lay = self.seen.lay

        def by_hand(n: int, card: Card, box: int, at_mm: Place, turn: float, face: Face) -> None:
            stops = stops_by_chance(self, self.hands) if self.script is None else self.script.stops.get(n, ())
            for stop in stops:
                self.seen.shown = None
                self.pass_time(self.hands.randint(200, 600))
                self.seen.show(n, card, face, stop)
                self.pass_time(stop.ms)
            self.seen.shown = None
            self.pass_time(self.hands.randint(200, 600))
            lay(n, card, box, at_mm, turn, face)
            self.seen.fresh, self.seen.leaves_ms = n, self.seen.now_ms + self.hands.randint(200, 1200)
            if self.hands.random() < self.seen.faults.imagined:
                self.seen.imagined = n

        self.seen.lay = by_hand  # type: ignore[method-assign]  # the card comes in a hand
        try:
            super().deal()
        finally:
            self.seen.lay = lay  # type: ignore[method-assign]

    def answer(self, hold: Json) -> None:
        if hold["code"] == "CARD_UNREAD" and self.seen.errors.unread == 0:
            self.false.append(hold["code"])
        if hold["code"] == "CARD_IN_HAND":
            if self.seen.imagined:
                self.seen.imagined = 0  # What lay beside the card is cleared.
            else:
                self.false.append(hold["code"])
        answer_by_hand(self, hold) or super().answer(hold)


def answer_by_hand(film: SimulatedRound, hold: Json) -> bool:
    """Go on where a hand held what was asked about; True where that was the question."""
    if hold["code"] != "CARD_IN_HAND":
        return False
    film.asked.append(hold["code"])
    return True


def main() -> None:
    """Play the films that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("films", type=int)
    parser.add_argument("houses", nargs="+")
    parser.add_argument("--unseen", type=float, default=0.0, help="share of stops at which no hand is seen")
    parser.add_argument("--errs", action="store_true", help="the camera errs in other ways, too")
    parser.add_argument("--done", type=Path)
    asked = parser.parse_args()
    lines = asked.done.read_text().splitlines() if asked.done and asked.done.exists() else []
    known = {(line["house"], line["seed"]) for line in map(json.loads, lines)}
    for house, seed in product(asked.houses, range(asked.films)):
        if (house, seed) in known:
            continue
        film = SeenFilm(house, seed, USUAL if asked.errs else STEADY, HandFaults(asked.unseen))
        verdict, codes, questions, _ = film.play()
        played = {"house": house, "seed": seed, "verdict": verdict, "codes": codes, "asked": questions}
        line = json.dumps({**played, "false": film.false}) + "\n"
        sys.stdout.write(line)
        if asked.done:
            with asked.done.open("a") as stream:
                stream.write(line)


if __name__ == "__main__":
    main()
