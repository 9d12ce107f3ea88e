"""The devices of a table: their health, and orders to them after the order is on disk."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from controller.domain import DeviceError
from controller.ports import Health, OrderAnswer, Report
from controller.runtime.api import NameCard
from controller.runtime.decision.decide import Orders
from controller.runtime.decision.shoe_lock import REASON, due_order
from controller.runtime.ledger import naming_of
from controller.runtime.ledger.draft import Draft
from controller.runtime.ledger.restore import SYSTEM


class TableDevices(NamedTuple):
    """The devices of a table, none by default.

    `send_order` has one do something, as `controller.ports.Orderable` says. `card_named` tells a camera
    which card lies there, and who says so. `locks` is the shoe that is locked while the table waits, where
    the house allows it.
    """

    health: Callable[[], tuple[Health, ...]] = tuple
    send_order: Callable[[str, str], bool] | None = None
    card_named: Callable[[NameCard, str], None] = lambda _action, _who: None
    locks: str | None = None

    def orders(self) -> Orders:
        """Return the possible orders to the devices now."""
        if self.send_order is None:
            return frozenset()
        return frozenset((device.name, order) for device in self.health() for order in device.orders)

    def lock_shoe(self, draft: Draft) -> None:
        """Have the shoe locked or unlocked as the holds ask for, where it can be now."""
        order = None if self.locks is None else due_order(draft.ledger, self.locks)
        if order is not None and (self.locks, order) in self.orders():
            draft.add("ordered", {"device": self.locks, "order": order, "reason": REASON}, SYSTEM)

    def carry_out(self, draft: Draft, mono_ns: int) -> Iterator[Report]:
        """Send people's orders to devices and cameras; yield the reason of each order that failed."""
        for proposal in draft.proposals:
            body = proposal.folded.body
            if proposal.entry.kind == "ordered":
                yield from self._order(body["device"], body["order"], mono_ns)
            elif proposal.entry.kind == "named":
                self.card_named(naming_of(body), proposal.entry.actor)

    def _order(self, device: str, order: str, mono_ns: int) -> Iterator[Report]:
        """Send an order to its device; an impossible order is answered with its reason."""
        assert self.send_order is not None, "an order was decided although no device takes any"
        try:
            code = "" if self.send_order(device, order) else None
        except DeviceError as error:
            code = error.code
        if code is not None:
            yield Report(device, mono_ns, answers=(OrderAnswer(order, code),))


NO_DEVICES: Final = TableDevices()
