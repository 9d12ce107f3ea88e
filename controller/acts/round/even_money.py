"""`even_money` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ANSWERS, Act, Row


@Declared("even_money", {Act.EVEN_MONEY: Row(ANSWERS, ANSWERS)}, timeless=True)
class EvenMoney(NamedTuple):
    """The bettor takes even money: the blackjack is paid 1:1 at once."""

    box: int
    seat: int
