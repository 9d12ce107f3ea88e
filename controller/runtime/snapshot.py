"""The snapshot of a table for its screens, and what is released with it."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from typing import Final, NamedTuple

import structlog

from controller.domain import JournalError, RoundResult, RuleSet
from controller.engine import expected, legal
from controller.engine.shoe import closing_at_end, closing_params
from controller.engine.state import BETS, Dealer, TableState
from controller.history.entry_line import EntryLine
from controller.i18n import key_of, text
from controller.journal.entry import BadEntry, Body, Entry, body_of
from controller.policy.holds import TOO_MANY
from controller.ports import Health, presence_of
from controller.runtime.api import (
    AuditLine,
    DeviceView,
    HoldView,
    Hub,
    Mode,
    OrderView,
    Params,
    PayProgress,
    TableSnapshot,
)
from controller.runtime.ledger import Ledger, all_waiting, hold_view
from controller.runtime.redaction import (
    closing_of,
    hide_bytes,
    hide_cards,
    redacted,
    redacted_alerts,
    redacted_holds,
    secret_rounds,
)


class SnapshotHub:
    """Holds one snapshot and wakes its readers; see `controller.runtime.api.Hub`."""

    def __init__(self, first: TableSnapshot) -> None:
        """Begin with the state that the table came up with."""
        self._latest = first
        self._version = 0
        self._replaced = asyncio.Event()

    def latest(self) -> TableSnapshot:
        """Return the snapshot that a screen shows now."""
        return self._latest

    def publish(self, snapshot: TableSnapshot) -> None:
        """Publish a snapshot whose journal entries are on disk."""
        assert snapshot.seq >= self._latest.seq, "the table never goes back"
        self._latest = snapshot
        self._version += 1
        self._replaced.set()
        self._replaced = asyncio.Event()

    async def subscribe(self) -> AsyncGenerator[tuple[int, TableSnapshot], None]:
        """Yield the latest at once, then each newer one; a slow reader skips to the newest."""
        seen = -1
        while True:
            while self._version == seen:
                await self._replaced.wait()
            seen = self._version
            yield self._latest.seq, self._latest


def is_released(state: TableState, waiting: int) -> bool:
    """Whether all entries so far may be copied.

    Not from a round's first card until its face-down card is turned or the round is closed: 52 guesses would
    find the card from a later hash. A house without a face-down card hides nothing. The places of waiting
    cards are not known yet.
    """
    return not waiting and (state.phase == BETS or dealer_lies_open(state.book.rules, state.dealer))


def dealer_lies_open(rules: RuleSet, dealer: Dealer) -> bool:
    """Whether no card of the dealer is face down now or later in this round."""
    return rules.hole_card == "none" or dealer.revealed


async def released_of(hub: SnapshotHub) -> AsyncIterator[int]:
    """Up to which entry the journal may be copied, each time that more of it may."""
    async for seq, now in hub.subscribe():
        if is_released(now.state, now.waiting):
            yield seq


BROKEN: Final = "broken"
"""Kind of a line that stands for an entry which does not fit the chain; nothing else of it can be trusted."""


def _broken_line(entry: BadEntry) -> AuditLine:
    """Return the line of an entry that does not fit, with the code of its fault."""
    return AuditLine(entry.seq, BROKEN, 0, None, "", json.dumps({"code": entry.code}), "")


class Secrets(NamedTuple):
    """The entries that the audit trail hides.

    `rounds` have an unturned card, cards wait from `waiting_seq` on, the entries `withheld` are not shown.
    """

    rounds: frozenset[int]
    waiting_seq: int | None = None
    withheld: frozenset[int] = frozenset()

    def covers(self, entry: Entry) -> bool:
        """Whether the chain up to this entry contains a secret, which 52 guesses would find from its hash.

        A hash covers every entry before it: after a card that was never turned, no hash is shown any more.
        """
        first = min(self.rounds, default=None)
        if first is not None and (entry.round_id is None or entry.round_id >= first):
            return True
        return self.waiting_seq is not None and entry.seq >= self.waiting_seq


def secrets_of(ledger: Ledger) -> Secrets:
    """Return what the audit trail must hide now."""
    waiting = all_waiting(ledger)
    rounds = secret_rounds(ledger.state, ledger.unturned)
    return Secrets(rounds, waiting[0].seq if waiting else None, ledger.withheld)


def audit_lines(entries: Iterable[Entry | BadEntry], limit: int, secrets: Secrets) -> tuple[AuditLine, ...]:
    """At most `limit` entries as `TablePort.audit` shows them, without the `secrets`."""
    lines: list[AuditLine] = []
    for entry in entries:
        if isinstance(entry, BadEntry):
            lines.append(_broken_line(entry))
        elif entry.seq not in secrets.withheld:
            lines.append(audit_line(entry, secrets))
        if len(lines) == limit:
            break
    return tuple(lines)


def audit_line(entry: Entry, secrets: Secrets) -> AuditLine:
    """Return an entry for display; an unreadable body is shown by its error code.

    Cards of the secret rounds are hidden, and cards that wait behind a hold: the next one may be face down.
    Hashes that cover them are hidden, and the hash of the opening, which keys the digests of all states.
    """
    hidden = _hides(entry, secrets)
    text = json.dumps(_shown_body(entry, body_of, hidden=hidden), ensure_ascii=False)
    shown = "" if hidden or entry.seq == 1 or secrets.covers(entry) else entry.hash.hex()
    return AuditLine(
        entry.seq, entry.kind, entry.at_utc_us, entry.round_id, entry.actor, text, shown, entry.caused_by
    )


def _hides(entry: Entry, secrets: Secrets) -> bool:
    return entry.round_id in secrets.rounds or entry.kind in ("waiting", "ruled", "carried")


def _shown_body(entry: Entry, read: Callable[[Entry], Body], *, hidden: bool) -> Body:
    try:
        body = read(entry)
        return hide_cards(entry.kind, body) if hidden else hide_bytes(body)
    except JournalError as error:
        return {"unreadable": error.code}


def lines_without_cards(entries: Iterable[Entry], rules: RuleSet) -> Iterator[EntryLine]:
    """Redact entries for the history without folding them: every card is hidden, open ones too.

    In a house with a hole card, alerts that a never turned card may explain are left out. No hold concerns
    such a card. No column of the history contains a rank, so its rows equal those of `history_lines`.
    """
    left_out = frozenset[str]() if rules.hole_card == "none" else TOO_MANY
    for entry in entries:
        try:
            body = hide_cards(entry.kind, body_of(entry))
        except (AttributeError, JournalError, KeyError, TypeError):
            # No table of ours writes this.
            body = {}
        if entry.kind not in ("alert", "trouble") or body.get("code") not in left_out:
            yield EntryLine(
                entry.seq, entry.kind, entry.at_utc_us, entry.round_id, entry.actor, body, entry.caused_by
            )


def history_lines(
    entries: Iterable[Entry], secrets: Secrets, read: Callable[[Entry], Body] = body_of
) -> Iterator[EntryLine]:
    """Redact entries as the audit trail shows them, for the history; withheld ones are left out.

    `read` gives the body of an entry, where it was read before.
    """
    for entry in entries:
        if entry.seq not in secrets.withheld:
            body = _shown_body(entry, read, hidden=_hides(entry, secrets))
            yield EntryLine(
                entry.seq, entry.kind, entry.at_utc_us, entry.round_id, entry.actor, body, entry.caused_by
            )


_KINDS: Final = ("hold", "alert", "refused", "error")


def logger() -> structlog.typing.FilteringBoundLogger:
    """Make the log: JSON lines for journald, aligned lines where a person looks at a terminal."""
    render = structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    made: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(20),
    )
    return made


async def log_snapshots(hub: Hub, log: structlog.typing.FilteringBoundLogger) -> None:
    """Follow the table until cancelled. Snapshots are masked, so no face-down card gets into the log."""
    holds: set[tuple[str, Params]] = set()
    alerts: set[int] = set()
    devices: dict[str, str] = {}
    async for _, now in hub.subscribe():
        held = {(hold.code, hold.params) for hold in now.holds}
        for code, params in held - holds:
            log.warning("held", code=code, table=now.table, text=sentence(code, params))
        if holds and not held:
            log.info("resumed", table=now.table)
        for alert in now.alerts:
            if alert.alert not in alerts:
                entered = sentence(alert.code, alert.params)
                log.warning(
                    "alert", alert=alert.alert, code=alert.code, severity=alert.severity, text=entered
                )
        _log_devices(now, devices, log)
        holds, alerts = held, {alert.alert for alert in now.alerts}


def sentence(code: str, params: Params) -> str:
    """Say a code in words, from whichever kind of text the catalogues have for it."""
    return text(key_of(code, _KINDS, params) or code, dict(params))


def _log_devices(
    now: TableSnapshot, devices: dict[str, str], log: structlog.typing.FilteringBoundLogger
) -> None:
    for device in now.devices:
        if devices.get(device.name) != device.state:
            devices[device.name] = device.state
            log.info("device", name=device.name, state=device.state, age_ms=device.age_ms)


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
