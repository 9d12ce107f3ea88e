"""What the felt shows, as it is brought to the table's door."""

from typing import NamedTuple

from controller.acts.catalogue import Observation
from controller.policy import Doubt
from controller.witnesses.lying_card import LyingCard


class FeltFinding(NamedTuple):
    """Something that the felt shows; `card` is what it was seen by, where it was one card.

    `unclear`: it could be something else, and has to be asked. `doubt`: witnesses differ about it; without
    an observation about something that does not lie there.
    """

    observation: Observation | None
    card: LyingCard | None = None
    unclear: bool = False
    doubt: Doubt | None = None
