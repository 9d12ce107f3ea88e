"""The protocol of a reader that takes a judge of certainty."""

from typing import Protocol

from vision.geometry import Image
from vision.reader import Judge
from vision.reading import Reading


class JudgedReader(Protocol):
    """A reader of pictures with a judge; `vision.reader.CardReader` is one."""

    def read(
        self,
        image: Image,
        judge: Judge | None = None,
        *,
        card_px: float | None = None,
    ) -> Reading:
        """Read one BGR picture; `card_px` is a card's long side."""
        ...
