"""The model of a shift's report: the JSON, the page, and the signed content.

Amounts are in minor units of the table's currency, times in seconds since the file's `started_at`.
"""

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict

from controller.history.history import PhaseName
from controller.policy.line import Mode
from controller.policy.money import Reason

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
    """A wait of the table from `t`, `seconds` long; None when it was not ended.

    At a table in shadow it did not wait: `was_right` says whether it should have.
    """

    code: str
    round: int
    t: float
    seconds: float | None
    was_right: WasRight | None


class ReportExplanation(ReportPart):
    """A possible explanation of a float difference: a changed, unconfirmed or ruled payout or stake."""

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
    """A ruling, `what` by its name in a feed.

    `win_before` and `win_after` are the house's wins by the settlements before and after it. Both are None
    for a round that was not settled before: no money moved. `win_after` is None when the round waits again.
    """

    what: str
    round: int
    t: float
    by: str
    reason: str
    win_before: int | None
    win_after: int | None


class ReportDevice(ReportPart):
    """A device without an answer from `t`, `seconds` long; None when it did not come back.

    `state` is lost when it was lost meanwhile, else stale.
    """

    name: str
    state: str
    t: float
    seconds: float | None


class ReportBreak(ReportPart):
    """A dealer's break from `t`, `seconds` long; None when the dealer did not return in this shift."""

    dealer: str
    t: float
    seconds: float | None


class ReportDealer(ReportPart):
    """A dealer ("": unknown), from the first to the last round.

    `hourly` are rounds per hour of the dealer's own time, None without any; `differences` as in the report.
    """

    dealer: str
    from_t: float
    to_t: float
    rounds: int
    hourly: float | None
    win: int
    differences: int


class ReportDifference(ReportPart):
    """A payout that differs or differed from the amount due; amounts except `left` exclude the stake.

    `paid` is the first entry, at `t`; `left` is the bettor's present surplus, by the last entry, whose author
    is `by`.
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
    None without an opening count, `counted` and `difference` without a closing count; `fills`, `credits` and
    `drop` are None without an entry; `explanations` are those of the difference, the likeliest first.
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
    """A report with the end of its journal, the program's version, and the table's signature.

    `key` and `signature` are hexadecimal digits, both "" for an unsigned report.
    """

    type: Literal["shift_report"] = "shift_report"
    report: ShiftReport
    head: ReportHead
    software: str
    key: str = ""
    signature: str = ""

    def message(self) -> bytes:
        """Return the signed bytes: all fields but the signature, in canonical form."""
        found = self.model_dump(mode="json", exclude={"signature"})
        return json.dumps(found, sort_keys=True, separators=(",", ":")).encode()
