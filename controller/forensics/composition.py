"""Cards of a set of packs that have not come for so long that they are probably missing.

For each kind of card a test martingale compares "one is missing" with "all are there". Of n of N dealt cards,
x of the d cards of the kind came. The quotient of the two hypergeometric probabilities is exactly
(1 - x / d) N / (N - n). Its product over shoes exceeds 1 / a in at most a of all complete sets, for any
number of tests (Ville's inequality); a is shared between the 52 kinds.
"""

from dataclasses import dataclass, replace
from math import exp, log
from typing import Final, NamedTuple, final

from controller.domain import RANKS, SUITS, Card

_FALSE_ALARMS: Final = 0.001
"""The share of complete sets that are ever suspected, over all kinds of cards together."""
KINDS: Final = tuple(Card(rank, suit) for rank in RANKS for suit in SUITS)
LIMIT: Final = log(len(KINDS) / _FALSE_ALARMS)
NEVER: Final = -1e9
"""The score of a kind all of whose cards have come in one shoe: none of them is missing."""
_DEFAULT_SET: Final = "A"
_ODDS_LOG_MAX: Final = log(10**12)


class Suspect(NamedTuple):
    """A card of which one is probably missing; a complete set looks so once in `odds` sets at most."""

    card: Card
    odds: int


class SetCount(NamedTuple):
    """The counts of one set of packs since its last count.

    `shoes` were put in place and dealt. `samples` are the shoes, and in a house that shuffles each round the
    rounds, in `scores`, the logarithms of the quotients by KINDS. `suspected` are the reported places in
    KINDS.
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

    name: str = _DEFAULT_SET
    loaded: bool = False
    counted: bool = False
    sets: tuple[SetCount, ...] = ()

    def uncounted(self) -> int:
        """Return the number of uncounted shoes of the present set, this one included."""
        return 0 if self.counted or not self.loaded else self._present().shoes + 1

    def with_count(self) -> "PackSets":
        """The shoe's cards have been counted, and with them the set."""
        return replace(self._with(SetCount(self.name)), counted=True)

    def dealt(self, decks: int, size: int, came: tuple[int, ...]) -> "PackSets":
        """Add the dealt cards of the present shoe until its shuffle, by KINDS, as far as suits are known."""
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
    """Return the number of complete sets among which one looks like this, at most 10^12."""
    return round(exp(min(score, _ODDS_LOG_MAX)))


def _scored(scores: tuple[float, ...], decks: int, size: int, came: tuple[int, ...]) -> tuple[float, ...]:
    """Return the scores after a shoe with these dealt cards; unchanged when no card stayed in it."""
    left = size - sum(came)
    if left <= 0 or left >= size:
        return scores
    step = [log(1 - x / decks) if x < decks else NEVER for x in range(decks + 1)]
    gain = log(size / left)
    return tuple([score + step[min(x, decks)] + gain for score, x in zip(scores, came, strict=True)])
