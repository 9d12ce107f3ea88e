"""The slip that was entered last: the same money again within a second was entered twice."""

from typing import Final, NamedTuple

from controller.acts.catalogue import Credit, Drop, Fill, Observation
from controller.engine.settle.float_account import slip_of

SLIP_ALIKE: Final = "SLIP_ALIKE"
_ALIKE_MS: Final = 1000
"""Nobody writes and enters two slips so fast. Not measured."""


class SlipEntered(NamedTuple):
    """A fill, credit or drop without its number, and when it was entered, in milliseconds."""

    entry: Fill | Credit | Drop
    number: str
    amount: int
    t_ms: int

    def is_again(self, last: "SlipEntered | None") -> bool:
        """Whether the same people entered the same sum within the same second."""
        return last is not None and last.entry == self.entry and 0 <= self.t_ms - last.t_ms <= _ALIKE_MS


def slip_after(last: SlipEntered | None, observation: Observation, t_ms: int) -> SlipEntered | None:
    """The last slip after an observation was taken at a time."""
    if not isinstance(observation, Fill | Credit | Drop):
        return last
    amount = abs(slip_of(observation).amount)
    if isinstance(observation, Drop):
        return SlipEntered(observation._replace(slip=None), observation.slip or "", amount, t_ms)
    plain = observation._replace(slip="", amount=amount, chips=None)
    return SlipEntered(plain, observation.slip, amount, t_ms)
