"""Effects of a line: accepted facts, holds, releases, inferred acts, refusals.

Each effect names its line by `mark`.
"""

from typing import NamedTuple

from controller.acts.catalogue import Observation
from controller.domain import Notice, Params
from controller.engine.concluding import Step
from controller.engine.state import TableState
from controller.policy.state.holds import Hold
from controller.policy.state.line import KeptCard
from controller.policy.state.line_person import Person
from controller.policy.state.payouts import Payout


class Took(NamedTuple):
    """An observation that the engine accepted; `kept`: a card that had waited.

    `notices` are the notices that the table reports. `step` is the engine's answer to the state `before`; the
    journal adopts it, so that the engine computes it once.
    """

    mark: int
    observation: Observation
    by: Person
    notices: tuple[Notice, ...]
    before: TableState
    step: Step
    kept: bool = False


class Noticed(NamedTuple):
    """An alert of the table's own, or the result of a round that was complete while the table waited."""

    mark: int
    notice: Notice


class Held(NamedTuple):
    """From here on the table waits."""

    mark: int
    hold: Hold


class Released(NamedTuple):
    """A lifted hold: its fault has ended, or a person `resumed` play."""

    mark: int
    hold: Hold
    resumed: bool = False


class Inferred(NamedTuple):
    """An act without a report that the state implies: `what` is a decision, or reveal."""

    mark: int
    what: str
    box: int = 0
    hand: int = 0


class PayoutNoted(NamedTuple):
    """A payout for the books: reported now, or computed because it was not confirmed."""

    mark: int
    payout: Payout
    by: Person


class CardKept(NamedTuple):
    """A card waits until the table goes on; by a `ruling` on a waiting card it waits as this one."""

    mark: int
    kept: KeptCard
    ruling: Observation | None = None


class Refusal(NamedTuple):
    """The line was refused and has changed nothing; `by_rules`: the engine itself refused it."""

    mark: int
    code: str
    params: Params
    by: Person
    by_rules: bool = False


Effect = Took | Noticed | Held | Released | Inferred | PayoutNoted | CardKept | Refusal
