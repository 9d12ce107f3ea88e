"""Times of journal entries without the steps of the machine's clock, which are no pauses of the table."""


class SteadyTime:
    """Times of entries given in order: where the clock stepped back, time goes on from where it stood."""

    def __init__(self) -> None:
        """Begin before the first entry."""
        self._last_us: int | None = None
        self._back_us = 0

    def at(self, utc_us: int) -> int:
        """The time of the next entry, in microseconds; never before that of the last one.

        All that comes after a step keeps its distances: were it held at the last time until the clock has
        caught up, cards would seem to come at once, and a table's door asks about cards that do.
        """
        now_us = utc_us + self._back_us
        if self._last_us is not None and now_us < self._last_us:
            self._back_us += self._last_us - now_us
            now_us = self._last_us
        self._last_us = now_us
        return now_us
