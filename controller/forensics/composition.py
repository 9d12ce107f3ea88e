"""Which cards of a set of packs have not come for so long that they are probably not in it.

For each kind of card a test martingale compares "one is missing" with "all are there": dealt n of N cards, of
which d are of the kind and x came, the quotient of the two hypergeometric probabilities is exactly
(1 - x / d) N / (N - n). Its product over shoes exceeds 1 / a in at most a of all complete sets, however often
one looks (Ville's inequality); a is shared between the 52 kinds.
"""

from dataclasses import dataclass, replace
from math import exp, log
from typing import Final, NamedTuple, final

from controller.domain import RANKS, SUITS, Card

FALSE_ALARMS: Final = 0.001
"""The share of complete sets that are ever suspected, over all kinds of cards together."""
KINDS: Final = tuple(Card(rank, suit) for rank in RANKS for suit in SUITS)
LIMIT: Final = log(len(KINDS) / FALSE_ALARMS)
NEVER: Final = -1e9
"""The score of a kind all of whose cards have come in one shoe: none of them is missing."""
DEFAULT_SET: Final = "A"
ODDS_LOG_MAX: Final = log(10**12)


class Suspect(NamedTuple):
    """A card of which one is probably missing; a complete set looks so once in `odds` sets at most."""

    card: Card
    odds: int


class SetCount(NamedTuple):
    """What is known of one set of packs since it was counted last.

    `shoes` were put in place and dealt, `samples` are shoes and, where each round has its own shuffle, rounds
    in `scores`, the logarithms of the quotients by KINDS; `suspected` are the places in KINDS that were
    reported.
    """

    name: str
    shoes: int = 0
    samples: int = 0
    scores: tuple[float, ...] = (0.0,) * len(KINDS)
    suspected: tuple[int, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class PackSets:
    """The house's sets of packs; `name` is the one in the shoe, `loaded`: a line said so.

    `counted`: the cards of the present shoe have been counted.
    """

    name: str = DEFAULT_SET
    loaded: bool = False
    counted: bool = False
    sets: tuple[SetCount, ...] = ()

    def uncounted(self) -> int:
        """The shoes of the present set that nobody has counted, this one included."""
        return 0 if self.counted or not self.loaded else self._present().shoes + 1

    def with_count(self) -> "PackSets":
        """The shoe's cards have been counted, and with them the set."""
        return replace(self._with(SetCount(self.name)), counted=True)

    def dealt(self, decks: int, size: int, came: tuple[int, ...]) -> "PackSets":
        """What came out of the present shoe until it was shuffled, by KINDS, as far as suits are known."""
        if self.counted or not self.loaded or size != decks * len(KINDS):
            return self
        count = self._present()
        scores = _scored(count.scores, decks, size, came)
        return self._with(count._replace(scores=scores, samples=count.samples + 1))

    def suspects(self) -> tuple["PackSets", tuple[Suspect, ...]]:
        """The cards that have become suspect over two shoes or more, each reported once."""
        count = self._present()
        found = [
            place
            for place, score in enumerate(count.scores)
            if score > LIMIT and place not in count.suspected
        ]
        if not found or count.samples < 2:
            return self, ()
        known = self._with(count._replace(suspected=(*count.suspected, *found)))
        return known, tuple([Suspect(KINDS[place], _odds(count.scores[place])) for place in found])

    def brought(self, name: str | None) -> "PackSets":
        """Other packs, or the same ones shuffled, are in the shoe: the last shoe counts as one of its set."""
        sets = self
        if self.loaded and not self.counted:
            count = self._present()
            sets = self._with(count._replace(shoes=count.shoes + 1))
        return replace(sets, name=name or self.name, loaded=True, counted=False)

    def _present(self) -> SetCount:
        return next((count for count in self.sets if count.name == self.name), SetCount(self.name))

    def _with(self, count: SetCount) -> "PackSets":
        others = [known for known in self.sets if known.name != count.name]
        return replace(self, sets=(*others, count))


def _odds(score: float) -> int:
    """One in so many complete sets looks so; above 10^12 nobody asks for more."""
    return round(exp(min(score, ODDS_LOG_MAX)))


def _scored(scores: tuple[float, ...], decks: int, size: int, came: tuple[int, ...]) -> tuple[float, ...]:
    """The scores after a shoe of which these cards came; nothing is learnt where no card stayed in it."""
    left = size - sum(came)
    if left <= 0 or left >= size:
        return scores
    step = [log(1 - x / decks) if x < decks else NEVER for x in range(decks + 1)]
    gain = log(size / left)
    return tuple([score + step[min(x, decks)] + gain for score, x in zip(scores, came, strict=True)])
