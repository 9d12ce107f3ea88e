"""A finding on the layout, as it is brought to the table's door."""

from typing import NamedTuple

from controller.acts.catalogue import CardSeen, Correct, Decision, End, Reveal
from controller.policy import Doubt
from controller.witnesses.lying_card import LyingCard

Shown = CardSeen | Decision | Reveal | End | Correct
"""What cameras can tell of the felt; a new one needs an alert for its refusal."""


class FeltFinding(NamedTuple):
    """A finding on the layout; `card` is the card behind it, if it is one.

    `unclear`: it has another possible meaning, and is asked. `doubt`: witnesses contradict each other about
    it; without an observation it concerns a card that does not lie there.
    """

    observation: Shown | None
    card: LyingCard | None = None
    unclear: bool = False
    doubt: Doubt | None = None
