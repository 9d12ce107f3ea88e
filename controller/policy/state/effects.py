"""What follows from a line at the table's door: facts taken, holds, releases, what was inferred or refused.

Each names by `mark` the line that it follows from.
"""

from typing import NamedTuple

from controller.acts.catalogue import Observation
from controller.domain.notices import Alert, Notice, Params
from controller.engine.state import TableState
from controller.policy.state.holds import Hold
from controller.policy.state.line import KeptCard
from controller.policy.state.line_person import Person
from controller.policy.state.payouts import Payout


class EngineStep(NamedTuple):
    """What the engine made of an observation: the state that it was given, the one after it, all it said."""

    before: TableState
    after: TableState
    notices: tuple[Notice, ...]


class Took(NamedTuple):
    """The engine has taken an observation and says this about it; `kept`: a card that had waited.

    `notices` are those that the table tells, `step` is the engine's own account.
    """

    mark: int
    observation: Observation
    by: Person
    notices: tuple[Notice, ...]
    step: EngineStep
    kept: bool = False


class Concluded(NamedTuple):
    """What goes out of a round that was complete while the table waited, now that nothing holds any more."""

    mark: int
    notice: Notice


class Alerted(NamedTuple):
    """A fault that the table itself has noticed."""

    mark: int
    alert: Alert


class Held(NamedTuple):
    """From here on the table waits."""

    mark: int
    hold: Hold


class Released(NamedTuple):
    """This hold is lifted: what it was about is mended, or somebody `resumed` over it."""

    mark: int
    hold: Hold
    resumed: bool = False


class Inferred(NamedTuple):
    """Nobody reported it, and it cannot be otherwise: `what` is a decision, or reveal."""

    mark: int
    what: str
    box: int = 0
    hand: int = 0


class PayoutNoted(NamedTuple):
    """A payout for the books: reported just now, or computed because nobody has confirmed it."""

    mark: int
    payout: Payout
    by: Person


class CardKept(NamedTuple):
    """A card waits until the table goes on."""

    mark: int
    kept: KeptCard


class KeptRuled(NamedTuple):
    """The pit has ruled on a card that waits: from here on it waits as this one."""

    mark: int
    kept: KeptCard
    ruling: Observation


class Refusal(NamedTuple):
    """The line was refused and has changed nothing."""

    mark: int
    code: str
    params: Params
    by: Person


Effect = (
    Took | Concluded | Alerted | Held | Released | Inferred | PayoutNoted | CardKept | KeptRuled | Refusal
)
