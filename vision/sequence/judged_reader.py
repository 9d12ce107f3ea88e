"""What reads pictures with a judge of what is certain."""

from typing import Protocol

from vision.geometry import Image
from vision.reader import Judge
from vision.reading import Reading


class JudgedReader(Protocol):
    """What reads pictures with a judge; `vision.reader.CardReader` does."""

    def read(
        self,
        image: Image,
        judge: Judge | None = None,
        *,
        card_px: float | None = None,
    ) -> Reading:
        """Read one BGR picture; `card_px` is a card's long side."""
        ...
