"""What the payouts add up to: those that nobody has confirmed, and what was due as each was told."""

from typing import Final, NamedTuple

from controller.journal.upcast import Body
from controller.runtime.api import UnconfirmedPayout


class Books(NamedTuple):
    """`booked` is what was due when each of the round's payouts was told, as (round, box, seat, amount)."""

    unconfirmed: tuple[UnconfirmedPayout, ...] = ()
    booked: tuple[tuple[int, int, int, int], ...] = ()


NO_BOOKS: Final = Books()


def with_payout(books: Books, number: int, body: Body) -> Books:
    """The books after the entry of a payout, in round `number`.

    One more that nobody has confirmed, or one less: somebody has told it late.
    """
    place = (body["round"], body["box"], body["seat"])
    others = tuple(one for one in books.unconfirmed if one[:3] != place)
    if body["how"] == "computed":
        return books._replace(unconfirmed=(*others, UnconfirmedPayout(*place, body["paid"])))
    booked = tuple(one for one in books.booked if one[0] == number and one[:3] != place)
    return Books(others, (*booked, (*place, body["expected"])))
