"""Amounts to and from a screen: typed text, and the chips of a stake as they were laid."""

from collections import Counter
from collections.abc import Iterable, Sequence

from controller.domain import MINOR
from controller.i18n.numbers import units

Stack = tuple[tuple[str, int], ...]
"""Chips that lie on each other, largest first, as (value, count)."""


def minor_units(text: str) -> int:
    """The amount of a decimal string; ValueError where it is none or has more than two places."""
    whole, _, cents = text.partition(".")
    if not (whole.isdecimal() and (cents.isdecimal() or not cents) and len(cents) <= 2):
        raise ValueError(text)
    return int(whole) * MINOR + int(cents.ljust(2, "0"))


def _in_few_chips(minor: int, values: Iterable[int]) -> tuple[int, ...]:
    """The amount in as few chips as these kinds allow, largest first; nothing where they cannot make it."""
    left, chips = minor, list[int]()
    for value in sorted(values, reverse=True):
        count, left = divmod(left, value)
        chips += [value] * count
    return () if left else tuple(chips)


def counted(chips: Iterable[int]) -> Stack:
    """Chips by their values, largest first."""
    return tuple((units(value), count) for value, count in sorted(Counter(chips).items(), reverse=True))


def _breakdown(minor: int, values: Iterable[int]) -> Stack:
    """The amount in chips, largest first, as (value, count); nothing where the chips cannot make it."""
    return counted(_in_few_chips(minor, values))


def in_colours(minor: int, laid: Sequence[int], values: Iterable[int]) -> Stack:
    """A payment of `minor` beside the chips of a bet: colour for colour, a part of them in smaller chips.

    Even money, and each multiple of it, is the bet's own chips again. Anything else is made of chips no
    larger than the bet's largest, or of any kind where those cannot make it.
    """
    known, staked = tuple(values), sum(laid)
    if staked and minor % staked == 0:
        return counted(tuple(laid) * (minor // staked))
    largest = max(laid, default=0)
    return _breakdown(minor, [value for value in known if value <= largest]) or _breakdown(minor, known)


Bettor = tuple[int, int]
"""Box and seat."""


class LaidChips:
    """The chips that each bettor has laid; a restart forgets them and draws the stake in few chips.

    Laid chips are used only when their sum equals the stake.
    """

    def __init__(self, values: Iterable[int]) -> None:
        """Know the kinds of chips of the house, in minor units; no chip is known to lie anywhere yet."""
        self._values = tuple(values)
        self._laid: dict[Bettor, tuple[int, ...]] = {}

    def lay(self, bettor: Bettor, lying: int, chip: int, *, off: bool) -> None:
        """Add a chip to, or (`off`) remove it from, a bettor's `lying` minor units."""
        chips = list(self.of(bettor, lying))
        if not off:
            chips.append(chip)
        elif chip in chips:
            chips.remove(chip)
        self._laid[bettor] = tuple(chips)

    def of(self, bettor: Bettor, stake: int, bet: int = 0) -> tuple[int, ...]:
        """Return the chips of a stake in minor units; a double or split repeats the chips of the bet.

        `bet` is the stake before the deal, 0 without additions.
        """
        base = bet or stake
        laid = self._laid.get(bettor, ())
        if sum(laid) != base:
            laid = _in_few_chips(base, self._values)
        return laid * (stake // base) if base and stake % base == 0 else _in_few_chips(stake, self._values)
