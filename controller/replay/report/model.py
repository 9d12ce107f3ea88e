"""A shift's report as one model: the JSON, the page, and what is signed.

Amounts are in minor units of the table's currency, times in seconds since the file's `started_at`.
"""

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict

from controller.history.shift import PhaseName
from controller.policy.state.float_difference import Reason
from controller.policy.state.options import Mode

WasRight = Literal["right", "wrong", "open"]
"""`right`: people have put something right there, or paid otherwise than settled; `wrong`: the table went on,
and the dealer paid what it settled; `open`: nothing says which, and somebody looks at the pictures."""


class ReportPart(BaseModel):
    """A part of a report; unknown fields are refused, so that nothing can be added to a signed one."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReportHead(ReportPart):
    """The journal's last entry when the report was made; `hash` is "" while a card lies face down."""

    seq: int
    hash: str


class ReportHold(ReportPart):
    """The table has waited: since `t`, `seconds` long; None where nobody has answered.

    Where the table was in shadow it has not: `was_right` says whether it should have.
    """

    code: str
    round: int
    t: float
    seconds: float | None
    was_right: WasRight | None


class ReportExplanation(ReportPart):
    """What may explain a difference; see `controller.policy.state.float_difference.Explanation`."""

    reason: Reason
    round: int
    box: int
    seat: int
    amount: int


class ReportAlert(ReportPart):
    """A notice to people."""

    code: str
    severity: str
    round: int
    t: float


class ReportRuling(ReportPart):
    """A ruling, `what` as a feed calls it.

    `win_before` and `win_after` are what the house had won by the settlements before and after it. Both are
    None where the round was not settled before: no money moved. `win_after` is None where it waits again.
    """

    what: str
    round: int
    t: float
    by: str
    reason: str
    win_before: int | None
    win_after: int | None


class ReportDevice(ReportPart):
    """A device that did not answer from `t` on, `seconds` long; None where it did not come back.

    `state` is lost where it was lost meanwhile, else stale.
    """

    name: str
    state: str
    t: float
    seconds: float | None


class ReportBreak(ReportPart):
    """A dealer left at `t`, and was back `seconds` later; None where he was not in this shift."""

    dealer: str
    t: float
    seconds: float | None


class ReportDealer(ReportPart):
    """Who dealt ("": nobody has said so), from his first round to his last one.

    `hourly` are rounds an hour of their own time, None where that is none; `differences` as in the report.
    """

    dealer: str
    from_t: float
    to_t: float
    rounds: int
    hourly: float | None
    win: int
    differences: int


class ReportDifference(ReportPart):
    """A payout that was not what was due, or is not: all but `left` is what changed hands beside the stake.

    `paid` is what was entered first, at `t`; `left` is what the bettor has too much now, by whom it was
    entered last in `by`.
    """

    round: int
    t: float
    box: int
    seat: int
    due: int
    paid: int
    left: int
    by: str


class ReportPhase(ReportPart):
    """A part of a round, and its mean seconds over the settled rounds; `waits` lie within the others."""

    name: PhaseName
    seconds: float


class ReportRun(ReportPart):
    """Cards of the last shoe that repeat an order; chance alone does that once in 10 to the `odds_log10`."""

    repeats: str
    shoe: int
    cards: int
    odds_log10: float


class ShiftReport(ReportPart):
    """One shift. `first_line` and `last_line` are its lines; `hold_percent` is None without a drop.

    `expected_win` is the house edge of the opening stakes, `band` two standard deviations of it. `opening` is
    None where the float was not counted at opening, `counted` and `difference` where it was not at closing;
    `fills`, `credits` and `drop` are None where nobody entered one;
    `explanations` are what may have made the difference, the likeliest first, and none where there is none.
    """

    table: str
    rules: str
    mode: Mode
    currency: str
    started_at: str
    first_line: int
    last_line: int
    from_t: float
    to_t: float
    people: tuple[str, ...]
    rounds: int
    settled: int
    voided: int
    disputed: int
    staked: int
    returned: int
    opening: int | None
    fills: int | None
    credits: int | None
    drop: int | None
    win: int
    hold_percent: float | None
    edge_percent: float
    expected_win: int
    band: int
    expected: int
    counted: int | None
    difference: int | None
    explanations: tuple[ReportExplanation, ...]
    payouts_confirmed: int
    payouts_not_confirmed: int
    dealers: tuple[ReportDealer, ...]
    differences: tuple[ReportDifference, ...]
    phases: tuple[ReportPhase, ...]
    alerts: tuple[ReportAlert, ...]
    holds: tuple[ReportHold, ...]
    rulings: tuple[ReportRuling, ...]
    devices: tuple[ReportDevice, ...]
    breaks: tuple[ReportBreak, ...]
    findings: tuple[ReportRun, ...]


class ReportWithHeads(ReportPart):
    """A report with the end of its journal, the program that made it, and the table's signature.

    `key` and `signature` are hexadecimal digits, both "" for a report that nobody has signed.
    """

    type: Literal["shift_report"] = "shift_report"
    report: ShiftReport
    head: ReportHead
    software: str
    key: str = ""
    signature: str = ""

    def message(self) -> bytes:
        """What is signed: all but the signature, one way of writing it."""
        found = self.model_dump(mode="json", exclude={"signature"})
        return json.dumps(found, sort_keys=True, separators=(",", ":")).encode()
