"""Which chips make up a stake, as far as they were tapped chip by chip."""

from collections.abc import Iterable

from controller.screens.shapes.chips import in_few_chips

Bettor = tuple[int, int]
"""Box and seat."""


class LaidChips:
    """The chips that each bettor has laid; a restart forgets them, and a stake is then drawn in few chips.

    What is kept is never believed by itself: it counts only where it adds up to the stake that lies there.
    """

    def __init__(self, values: Iterable[int]) -> None:
        """Know the kinds of chips of the house, in minor units; no chip is known to lie anywhere yet."""
        self._values = tuple(values)
        self._laid: dict[Bettor, tuple[int, ...]] = {}

    def lay(self, bettor: Bettor, lying: int, chip: int, *, off: bool) -> None:
        """One chip more, or (`off`) one less, on the `lying` minor units of a bettor."""
        chips = list(self.of(bettor, lying))
        if not off:
            chips.append(chip)
        elif chip in chips:
            chips.remove(chip)
        self._laid[bettor] = tuple(chips)

    def of(self, bettor: Bettor, stake: int, bet: int = 0) -> tuple[int, ...]:
        """The chips of a stake, in minor units; doubled or split, the bet's chips once more each time.

        `bet` is what lay there before the deal, 0 where nothing was added to it.
        """
        base = bet or stake
        laid = self._laid.get(bettor, ())
        if sum(laid) != base:
            laid = in_few_chips(base, self._values)
        return laid * (stake // base) if base and stake % base == 0 else in_few_chips(stake, self._values)
