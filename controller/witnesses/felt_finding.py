"""A finding on the layout, as it is brought to the table's door."""

from typing import NamedTuple

from controller.acts.catalogue import Observation
from controller.policy import Doubt
from controller.witnesses.lying_card import LyingCard


class FeltFinding(NamedTuple):
    """A finding on the layout; `card` is the card behind it, if it is one.

    `unclear`: it has another possible meaning, and is asked. `doubt`: witnesses contradict each other about
    it;
    without an observation it concerns a card that does not lie there.
    """

    observation: Observation | None
    card: LyingCard | None = None
    unclear: bool = False
    doubt: Doubt | None = None
