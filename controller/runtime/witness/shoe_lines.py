"""The last messages of a shoe that named cards: shown beside a hold that speaks of one, in no journal or log.

They are kept in memory alone, and only few of them: an unturned card's message is among them.
"""

import threading
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen
from controller.ports import Report, ReportSink

LINES_MAX: Final = 64
"""Messages that are kept: a shoe is two seconds ahead of the felt at most, which is a handful of cards."""


class ShoeLine(NamedTuple):
    """A card as the shoe reported it, and the one message that named it, as it was on the line."""

    card: CardSeen
    raw: bytes


class ShoeLines:
    """The last messages of a table's shoe; written by the shoe's thread, read on the table's loop."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._lines: dict[int, ShoeLine] = {}

    def listening(self, post: ReportSink) -> ReportSink:
        """Return a sink that notes each message before it passes it to `post`."""

        def receive(report: Report) -> None:
            self._note(report)
            post(report)

        return receive

    def of(self, number: int) -> ShoeLine | None:
        """Return the message of the card with this number (see `card_number`); None when it is not kept."""
        with self._lock:
            return self._lines.get(number)

    def _note(self, report: Report) -> None:
        cards = [seen for seen in report.observations if isinstance(seen, CardSeen)]
        if not report.raw or len(cards) != 1 or not card_number(cards[0]):
            return
        with self._lock:
            self._lines = dict([*self._lines.items()][1 - LINES_MAX :])
            self._lines[card_number(cards[0])] = ShoeLine(cards[0], report.raw)


def card_number(card: CardSeen) -> int:
    """Return the number of the card since the program began, from 1; 0 when its id has none.

    It is the last part of the id that a shoe's driver gives: `shoe.k3f.12`.
    """
    number = (card.id or "").rpartition(".")[2]
    return int(number) if number.isascii() and number.isdigit() else 0


NO_LINES: Final = ShoeLines()
"""A table whose shoe tells no lines."""
