"""Votes on a card's rank and, apart from them, on its suit: a read may leave the suit open."""

from vision.reading import CardName
from vision.tracking.votes import Votes


class CardVotes:
    """The latest reads of one card, with or without its suit."""

    def __init__(self) -> None:
        """Begin without any."""
        self._ranks = Votes()
        self._names = Votes()

    def add(self, name: CardName, p: float, corners: int, joined: bool = False) -> None:
        """Count a read, as `Votes.add`; one without a suit says nothing about the suit."""
        self._ranks.add(name._replace(suit=None), p, corners, joined)
        if name.suit is not None:
            self._names.add(name, p, corners, joined)

    @property
    def reads(self) -> int:
        """How many reads count."""
        return self._ranks.reads

    @property
    def best(self) -> CardName | None:
        """The rank with the most weight, and its suit with the most where a read gave one."""
        rank, name = self._ranks.best, self._names.best
        same = rank is not None and name is not None and rank.rank == name.rank
        return name if same else rank

    @property
    def certain_name(self) -> CardName | None:
        """What may be locked: rank and suit, else the rank alone; None where not even that is certain."""
        if not self._ranks.certain:
            return None
        best = self.best
        return best if best is not None and best.suit and self._names.certain else self._ranks.best

    @property
    def certain(self) -> bool:
        """Whether the rank, at least, may be locked."""
        return self._ranks.certain

    @property
    def two_corners(self) -> bool:
        """Whether most reads had two corners that agree."""
        return self._ranks.two_corners

    def p_of(self, name: CardName | None) -> float:
        """Probability of the best rank, or of the best rank and suit where the name has a suit."""
        return (self._ranks if name is None or name.suit is None else self._names).p
