"""The state while the journal cannot be written: the table's hold, and the devices' reports."""

from collections.abc import Sequence

from controller.domain import JournalError
from controller.ports import Report
from controller.runtime.api import HoldView, Rejected
from controller.runtime.decision.taking import hold
from controller.runtime.door.items import Item, SubmittedCommand
from controller.runtime.ledger.draft import Draft
from controller.runtime.ledger.restore import SYSTEM


class Unwritten:
    """The reports that wait for the disk, up to a limit, and the number of lost ones."""

    def __init__(self, most: int) -> None:
        """Begin with a journal that can be written."""
        self._most = most
        self.fault: HoldView | None = None
        self.reports = list[Report]()
        self.lost = 0

    def fail(self, error: JournalError, at_utc_us: int) -> None:
        """Begin the hold for a failed write."""
        self.fault = HoldView(error.code, tuple(error.params.items()), at_utc_us, SYSTEM)
        self.reports = []

    def over(self) -> None:
        """All is on disk."""
        self.fault, self.reports, self.lost = None, [], 0

    def keep(self, items: Sequence[Item], code: str) -> None:
        """Keep devices' reports, refuse people's commands."""
        refusal = Rejected("TABLE_HELD", (("reason", code),))
        for item in items:
            if isinstance(item, SubmittedCommand):
                item.answer(refusal)
            elif isinstance(item, Report) and len(self.reports) < self._most:
                self.reports.append(item)
            elif isinstance(item, Report):
                self.lost += 1

    def record(self, draft: Draft) -> None:
        """Have the hold recorded at last; the reports of meanwhile come behind it."""
        if self.fault is not None:
            hold(draft, self.fault.code, self.fault.params, SYSTEM)
