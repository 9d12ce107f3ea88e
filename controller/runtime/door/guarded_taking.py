"""One item at a time into a draft, beside the witnesses: taken whole, or not at all, whatever goes wrong."""

from typing import Final, assert_never

from controller.domain.plain_text import plain
from controller.ports import Report, Trouble
from controller.runtime.api import Command, CommandAnswer, Rejected
from controller.runtime.contradictions import FrameObservation
from controller.runtime.decision.decide import Orders, decide
from controller.runtime.decision.taking import take_report, take_trouble
from controller.runtime.door.items import DeviceItem
from controller.runtime.failures import FailureSink
from controller.runtime.ledger import Ledger
from controller.runtime.ledger.draft import Draft
from controller.runtime.ledger.restore import SYSTEM
from controller.runtime.witness.contradiction_detector import ContradictionDetector
from controller.runtime.witness.felt_witness import (
    FeltLook,
    FeltMemory,
    FeltWitness,
    WitnessPlan,
    command_beside_felt,
)

NAMED_MAX: Final = 40
"""Characters of a device's name in a hold; no configuration has a longer one."""


class GuardedTaking:
    """Takes items, and takes back what the witnesses remember of one that was not taken."""

    def __init__(
        self,
        ledger: Ledger,
        plan: WitnessPlan | None,
        detector: ContradictionDetector | None,
        failures: FailureSink,
    ) -> None:
        """`plan` says which camera deals; without it cards come from whoever reports them."""
        self.felt = None if plan is None else FeltWitness(plan, ledger)
        self._detector, self._failures = detector, failures

    def mark(self) -> FeltMemory | None:
        """Remember what the witnesses know."""
        return None if self.felt is None else self.felt.mark()

    def rewind(self, memory: FeltMemory | None) -> None:
        """Have the witnesses tell what the table has not kept."""
        if self.felt is not None and memory is not None:
            self.felt.rewind(memory)

    def follow(self, ledger: Ledger, mono_ns: int) -> None:
        """See `ContradictionDetector.follow`."""
        if self._detector is not None:
            self._detector.follow(ledger, mono_ns)

    def decided(self, draft: Draft, command: Command, orders: Orders) -> CommandAnswer:
        """Decide a command; one that cannot be taken leaves nothing and ends nothing."""
        memory = self.mark()
        try:
            with draft.whole_or_nothing():
                if self.felt is None:
                    return decide(draft, command, orders)
                return command_beside_felt(draft, command, orders, self.felt)
        except Exception as error:
            self.rewind(memory)
            self._failures.failed(command.role, error)
            return Rejected("NOT_TAKEN")

    def report(self, draft: Draft, item: DeviceItem) -> None:
        """Take a report whole, or hold the table: a card of it may lie on the felt."""
        memory = self.mark()
        try:
            with draft.whole_or_nothing():
                self._take(draft, item)
        except Exception as error:
            self.rewind(memory)
            self._failures.failed(item.source, error)
            name = plain(item.source)[:NAMED_MAX]
            take_trouble(draft, Trouble("REPORT_NOT_TAKEN", (("name", name),)), SYSTEM)

    def _take(self, draft: Draft, item: DeviceItem) -> None:
        match item:
            case Report():
                take_report(draft, item if self.felt is None else self.felt.receive(draft, item))
                if self.felt is not None:
                    self.felt.follow(draft)
            case FeltLook():
                if self.felt is not None:
                    self.felt.look(draft, item)
            case FrameObservation():
                if self._detector is not None:
                    take_report(draft, self._detector.report(item, draft.ledger))
            case _:
                assert_never(item)
