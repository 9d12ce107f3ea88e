"""`paid` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, NEVER, UNHELD, Act, Row

PayoutKnown = Literal["measured", "entered", "confirmed"]
"""How a payout is known: a chip source counted it, somebody typed the amount, or somebody confirmed with one
tap that it was what the screen had shown."""


@Declared(
    "paid",
    {
        Act.PAID: Row(UNHELD, ALWAYS, UNHELD, UNHELD),
        Act.PAID_LATE: Row(NEVER, ALWAYS, NEVER, UNHELD),
        # "Measured" is said by what measures, the table included.
        Act.PAID_MEASURED: Row(NEVER, NEVER, UNHELD, UNHELD),
        Act.PAID_LATE_MEASURED: Row(NEVER, NEVER, NEVER, UNHELD),
    },
    timeless=True,
    way="paid",
    about="bettor",
)
class Paid(NamedTuple):
    """What was handed back to a bettor in all, stake included, as counted by a chip source or by people.

    Without `round` it is the round that is settled and not ended. `how` is left out by feeds and journals
    that do not say how the amount is known.
    """

    box: int
    seat: int
    amount: int
    round: int | None = None
    how: PayoutKnown | None = None
