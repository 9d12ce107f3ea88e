"""The figures of one day, selected from the views: page, report, books and floor read these."""

from math import sqrt
from typing import Final, Literal, NamedTuple, get_args

from controller.history.history import History, Row

PhaseName = Literal["bets", "deal", "turns", "dealer", "pay", "waits"]
PHASES: Final[tuple[PhaseName, ...]] = get_args(PhaseName)
SECOND_US: Final = 1_000_000
MINUTE_US: Final = 60 * SECOND_US


class Expectation(NamedTuple):
    """The house's expected win of opening stakes, and two standard deviations of it; minor units."""

    win: int
    band: int

    @classmethod
    def of(cls, opened: int, variance: float, edge_percent: float) -> "Expectation":
        """Return the expectation of stakes whose win has this variance."""
        return cls(round(opened * edge_percent / 100.0), round(2.0 * sqrt(variance)))


def shift_row(history: History, day: int | None = None) -> Row:
    """The row of view `shift`; of the last day by default. An empty journal has a row of zeros."""
    found = history.rows("SELECT * FROM shift WHERE day = ?", (history.day if day is None else day,))
    return found[0] if found else NOTHING.copy()


def mean_seconds(history: History, day: int, dealer: str | None = None) -> dict[PhaseName, float]:
    """The mean seconds of each part over the settled rounds of a day, or of one dealer in it."""
    rows = history.rows(
        "WITH dealt AS (SELECT round FROM round WHERE day = :day AND status = 'settled'"
        " AND (dealer = :dealer OR :dealer IS NULL))"
        " SELECT nth, sum(took) AS took, (SELECT count(*) FROM dealt) AS rounds FROM phase"
        " WHERE round IN (SELECT round FROM dealt) GROUP BY nth ORDER BY nth",
        {"day": day, "dealer": dealer},
    )
    return {PHASES[row["nth"] - 1]: row["took"] / row["rounds"] / SECOND_US for row in rows}


NOTHING: Final[Row] = {
    **dict.fromkeys(("first_seq", "last_seq", "from_us", "to_us", "since", "until", "day"), 0),
    **dict.fromkeys(("rounds", "settled", "voided", "disputed", "staked", "returned", "opened", "win"), 0),
    **dict.fromkeys(("confirmed", "unconfirmed"), 0),
    **dict.fromkeys(("fills", "credits", "drop", "opening", "expected", "counted", "difference")),
    "variance": 0.0,
}
