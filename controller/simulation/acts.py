"""What the simulated people do with their hands and on the screens, as values: others carry it out."""

from typing import Literal, NamedTuple

from controller.acts.catalogue import Observation
from controller.domain import Card
from controller.runtime.api import Action, Role
from controller.simulation.laid_cards import HandName


class DrawCard(NamedTuple):
    """The dealer draws a card and gives it to whom it belongs.

    `read_as`: what the reader makes of it, where that is not the card. `lies_at`: the hand that gets it,
    where that is not the one whose card it is. `with_next`: the card behind sticks to it and comes out, too.
    `is_due`: False for a card that nobody was to get. `meant`: the decisions that it shows to a camera.
    """

    read_as: Card | None = None
    lies_at: HandName | None = None
    with_next: bool = False
    is_due: bool = True
    meant: tuple[Observation, ...] = ()


class PressKeys(NamedTuple):
    """Somebody presses keys: these, in this order.

    `meant` is what was in truth decided, where that is not what the keys say.
    """

    actions: tuple[Action, ...]
    role: Role = "system"
    meant: tuple[Observation, ...] | None = None


Handling = Literal["pull_cable", "plug_cable", "smear_lens", "wipe_lens", "lay_right"]
"""What hands do beside dealing."""


class Handle(NamedTuple):
    """Somebody does something to a device or to the cards on the felt."""

    what: Handling


class MoveCards(NamedTuple):
    """Hands move cards that lie on the layout; `meant` is what that says to who looks on, in its order."""

    what: Literal["split", "turn_up", "clear"]
    meant: tuple[Observation, ...]


NextAct = DrawCard | PressKeys | Handle | MoveCards | None
"""What happens next; None: the people wait for the table or the screens."""
