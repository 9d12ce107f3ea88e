"""A ledger as a snapshot for screens."""

from collections.abc import Iterable

from controller.domain import RoundResult
from controller.engine import expected, legal
from controller.engine.constants import BETS
from controller.engine.shoe.closing import closing_at_end, closing_params
from controller.engine.state import TableState
from controller.ports import Health, presence_of
from controller.runtime.api import (
    DeviceView,
    HoldView,
    Mode,
    OrderView,
    PayProgress,
    TableSnapshot,
)
from controller.runtime.ledger import Ledger
from controller.runtime.ledger.hold_entries import hold_view
from controller.runtime.redaction import (
    closing_of,
    redacted,
    redacted_alerts,
    redacted_holds,
    secret_rounds,
)


def snapshot_of(
    ledger: Ledger,
    *,
    at_utc_us: int,
    mode: Mode,
    health: Iterable[Health],
    faults: tuple[HoldView, ...],
    kept: int,
    autoplay: bool | None,
) -> TableSnapshot:
    """Return the snapshot for the screens.

    `faults` are holds that the journal could not take, `kept` is the number of reports since then.
    """
    state, opening = ledger.state, ledger.opening
    result = _result(state)
    secret = secret_rounds(state, ledger.unturned)
    snapshot = TableSnapshot(
        seq=ledger.seq,
        at_utc_us=at_utc_us,
        mode=mode,
        table=opening.table,
        currency=opening.currency,
        rules=state.book.rules,
        state=redacted(state),
        expected=expected(state),
        acts=legal(state),
        result=result,
        pay=_pay(ledger, result),
        holds=redacted_holds(_holds(ledger), state, secret) + faults,
        devices=_devices(health, dict(ledger.orders), dict(ledger.decks)),
        alerts=redacted_alerts(ledger.alerts, secret),
        waiting=ledger.waiting_count + kept,
        autoplay=autoplay,
        closing=closing_of(ledger.alerts, secret),
        repeated=() if state.watch is None or state.book.number in secret else state.watch.found,
    )
    return _with_payouts(_with_rest(snapshot, ledger, secret), ledger)


def _with_rest(snapshot: TableSnapshot, ledger: Ledger, secret: frozenset[int]) -> TableSnapshot:
    """Add the count of the shoe's rest; in a secret round without the missing cards."""
    state, rest = ledger.state, ledger.run.rest
    if rest is None:
        return snapshot
    shown = state.shoe.loaded and state.book.number not in secret
    closing = closing_params(state, closing_at_end(state, rest.cards)) if shown else ()
    return snapshot._replace(rest=len(rest.cards), closing=closing)


def _with_payouts(snapshot: TableSnapshot, ledger: Ledger) -> TableSnapshot:
    """Add the house's options, chips and payouts, and the kept rounds.

    A table that was opened before the setting for payouts confirms them.
    """
    book, options = ledger.state.book, ledger.opening.house.options
    return snapshot._replace(
        options=options,
        payouts=options.payouts or "confirm",
        chips=ledger.run.chips.stakes,
        unconfirmed=ledger.unconfirmed,
        booked=tuple(one[1:] for one in ledger.booked if one[0] == book.number),
        known=tuple(one[1:] for one in ledger.known if one[0] == book.number),
        first_round=book.number - len(book.past),
        dealing=ledger.dealer,
        second=ledger.opening.house.second,
    )


def closed_round(ledger: Ledger, number: int) -> TableState | None:
    """Return the closed round of this number as screens may see it; None if it is no longer kept."""
    past = ledger.state.book.past
    return next((redacted(old) for old in past if old.book.number == number), None)


def _holds(ledger: Ledger) -> tuple[HoldView, ...]:
    return tuple([hold_view(hold, ledger.opening.house) for hold in ledger.holds])


def _result(state: TableState) -> RoundResult | None:
    """Return the result of this round; before its first bet, that of the last round."""
    if state.settlement.result is None and state.phase == BETS and not state.boxes and state.book.past.last:
        return state.book.past.last[-1].settlement.result
    return state.settlement.result


def _pay(ledger: Ledger, result: RoundResult | None) -> PayProgress:
    """Return the handled boxes; none when another round than the settled one was handled last."""
    if result is not None and ledger.pay.round == result.round:
        return ledger.pay
    return PayProgress(result.round if result else 0, ())


def _devices(
    health: Iterable[Health], orders: dict[str, OrderView], decks: dict[str, str]
) -> tuple[DeviceView, ...]:
    return tuple(_device(device, orders.get(device.name), decks.get(device.name, "")) for device in health)


def _device(health: Health, last_order: OrderView | None, deck: str) -> DeviceView:
    return DeviceView(
        health.name,
        health.kind,
        presence_of(health.state),
        health.age_ms,
        health.orders,
        last_order,
        deck,
    )
