"""What the felt shows, as it is brought to the table's door."""

from typing import NamedTuple

from controller.acts.catalogue import CardSeen, Correct, Decision, End, Reveal
from controller.policy import Doubt
from controller.witnesses.lying_card import LyingCard

Shown = CardSeen | Decision | Reveal | End | Correct
"""What cameras can tell of the felt; a new one needs an alert for its refusal."""


class FeltFinding(NamedTuple):
    """Something that the felt shows; `card` is what it was seen by, where it was one card.

    `unclear`: it could be something else, and has to be asked. `doubt`: witnesses differ about it; without
    an observation about something that does not lie there.
    """

    observation: Shown | None
    card: LyingCard | None = None
    unclear: bool = False
    doubt: Doubt | None = None
