"""`rest_count` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, ANSWERS, UNHELD, Act, Row

RestStep = Literal["begin", "cancel"]


@Declared(
    "rest_count",
    {
        Act.REST_COUNT: Row(UNHELD, ANSWERS),
        # A dealer who gave it up would lose the card that is too many.
        Act.REST_CANCEL: Row(ANSWERS, ALWAYS),
    },
    in_count=True,
    beside_the_round=True,
)
class RestCounting(NamedTuple):
    """The rest of the shoe is run through its reader to be counted, or that is given up.

    It ends with `ShoeEnded`, which then needs no `cards`.
    """

    state: RestStep
