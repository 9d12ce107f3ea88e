"""The panels beside the layout: holds with rule and ways out, alerts with place and money, slips, the shoe.

The shoe's panel contains neither the number nor the ranks of the cards left.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal

from controller.acts.catalogue import CardSeen, ShoeLoaded, ShoeShuffled
from controller.acts.money import SlipKind
from controller.acts.shoe import Shuffled
from controller.domain import RANKS, SUITS, Money
from controller.engine.shoe import (
    before_first_card,
    can_load,
    can_shuffle,
    drops_of_day,
    is_spent,
    needs_no_card,
    needs_shuffle,
)
from controller.engine.state import Book, TableState
from controller.i18n import catalogue, units, with_signs
from controller.policy.allowed import subjects_of
from controller.policy.holds import (
    ABSENT,
    CAMERAS_DIFFER,
    FROZEN,
    OUT_OF_PLACE,
    PICTURE_DIFFERS,
    READ_DIFFERENTLY,
    Hold,
    kind_of,
)
from controller.runtime.api import AlertView, HoldView, Params, TableSnapshot
from controller.screens.acts import ObserveAct
from controller.screens.evidence import HoldEvidences, open_alerts
from controller.screens.view import (
    AlertRow,
    CardReading,
    HoldRow,
    Key,
    LimitsView,
    NextSlips,
    ShoeState,
    ShoeView,
)
from controller.screens.words import OpenCard, ViewModel, Words, described, say, short


def current_text(snapshot: TableSnapshot, kind: Literal["alert", "hold"], code: str, params: Params) -> Words:
    """Return the text of a code; for a missing device that answers again, return that instead."""
    name = str(dict(params).get("name", ""))
    if code in ABSENT | OUT_OF_PLACE and name in {
        device.name for device in snapshot.devices if device.state == "live"
    }:
        return say(f"{kind}.DEVICE_BACK", name=name)
    return described(kind, code, params)


def each_once(holds: Sequence[HoldView]) -> tuple[HoldView, ...]:
    """The holds without the absence of a camera that says itself why no card is taken from it."""
    said = {dict(hold.params).get("name") for hold in holds if hold.code in OUT_OF_PLACE}
    return tuple(
        hold for hold in holds if hold.code not in ABSENT or dict(hold.params).get("name") not in said
    )


def shoe_is_locked(snapshot: TableSnapshot) -> bool:
    """Whether the shoe's last unresolved report about its lock says that it is locked."""
    said = [alert for alert in open_alerts(snapshot) if alert.code in ("SHOE_LOCKED", "SHOE_UNLOCKED")]
    return bool(said) and max(said, key=lambda alert: alert.alert).code == "SHOE_LOCKED"


_CARD: Final = re.compile(r"(10|[2-9AJQK])([cdhs])?")
_OWN_CHOICE: Final = "house's choice"
"""What a rule file says where no text or practice decides."""


def frozen_by_pit(holds: Sequence[HoldView]) -> str | None:
    """Return the person of the pit who froze the table; None without a freeze, or when the dealer called."""
    by = [hold.by.partition(":") for hold in holds if hold.code == FROZEN]
    return by[0][2] if by and all(role == "pit" for role, _, _ in by) else None


def hold_rows(snapshot: TableSnapshot, limit: int) -> tuple[HoldRow, ...]:
    """The holds of a table, oldest first, at most `limit` of them."""
    return tuple(_hold_row(snapshot, hold) for hold in snapshot.holds[:limit])


def _hold_row(snapshot: TableSnapshot, hold: HoldView) -> HoldRow:
    seat, known = dict(hold.params).get("seat"), known_hold(hold)
    by = frozen_by_pit((hold,))
    text = current_text(snapshot, "hold", hold.code, hold.params)
    # A hold of the runtime's own breaks no rule of the game.
    key = f"rule.{hold.code}"
    return HoldRow(
        title=short(hold.code) if by is None else say("fault_name.FROZEN_BY_PIT"),
        text=text if by is None else say("hold.FROZEN_BY_PIT", by=by),
        since_utc_us=hold.since_utc_us,
        by=hold.by,
        code=hold.code,
        release=hold.release,
        ways=hold.ways,
        rule=_rule_words(hold.source),
        rule_text=say(key) if key in catalogue("en") else None,
        round=hold.round,
        card=hold.card,
        box=hold.box,
        seat=seat if isinstance(seat, int) else None,
        about=subjects_of(snapshot.state, known),
        amends=kind_of(known).amends,
        two=hold.release == "two",
        read=_read(snapshot.state, hold),
        readings=_readings(snapshot.state, hold),
    )


def known_hold(hold: HoldView) -> Hold:
    """Return the hold with the fields that a screen may know."""
    return Hold(hold.code, hold.release, hold.ways, hold.params, hold.round, hold.card, hold.box, fault=True)


def _readings(state: TableState, hold: HoldView) -> tuple[CardReading, ...]:
    """Return both cards of two contradicting readers; none for an unread or secret card."""
    params = {name: str(value) for name, value in hold.params}
    names: tuple[tuple[Words, str], ...] = ()
    if hold.code == READ_DIFFERENTLY:
        names = (say("ui.device_shoe"), "shoe"), (say("ui.device_camera"), "camera")
    elif hold.code == CAMERAS_DIFFER:
        names = tuple(
            (say("ui.held_camera", camera=params.get(by, "")), card)
            for by, card in (("camera", "seen"), ("beside", "reads"))
        )
    elif hold.code in PICTURE_DIFFERS and hold.card:
        seen = next((fact.obs for fact in state.log if fact.n == hold.card), None)
        if isinstance(seen, CardSeen):
            params["table"] = f"{seen.rank}{seen.suit or ''}"
        names = (say("ui.device_table"), "table"), (say("ui.device_camera"), "seen")
    read = [(title, _CARD.fullmatch(params.get(name, ""))) for title, name in names]
    found = [
        CardReading(title=title, card=OpenCard(card=hold.card, rank=one[1], suit=one[2]))
        for title, one in read
        if one is not None
    ]
    return tuple(found) if len(found) == len(names) else ()


def _rule_words(source: str) -> Words | None:
    """The citations of a source; that the ruling is the house's own is said in the reader's language."""
    if not source:
        return None
    numbers = "; ".join(part for part in source.split("; ") if part != _OWN_CHOICE)
    if _OWN_CHOICE not in source:
        return say("ui.rule", source=numbers)
    return say("ui.rule_own_of", source=numbers) if numbers else say("ui.rule_own")


def _read(state: TableState, hold: HoldView) -> Words | None:
    """Return the reader of the card that does not fit, with the reported certainty."""
    if not hold.card or hold.round != state.book.number:
        return None
    seen = next((fact.obs for fact in state.log if fact.n == hold.card), None)
    if not isinstance(seen, CardSeen) or seen.by is None:
        return None
    if seen.p is None:
        return say("ui.read_by", by=seen.by)
    return say("ui.read_surely", by=seen.by, percent=int(seen.p * 100))


_NOWHERE: Final = -1


def alert_rows(
    snapshot: TableSnapshot, limit: int, evidence: HoldEvidences
) -> tuple[tuple[AlertRow, ...], int]:
    """The newest rows, newest first, and how many older ones are not among them."""
    joined: dict[tuple[str, Params], list[AlertView]] = {}
    own = frozen_by_pit(snapshot.holds) is not None
    for alert in open_alerts(snapshot):
        # The pit gets no alert of its own freeze.
        if own and alert.code == FROZEN:
            continue
        joined.setdefault((alert.code, alert.params), []).append(alert)
    groups = sorted(joined.values(), key=lambda alerts: -alerts[-1].alert)
    rows = tuple(_alert_row(snapshot, group, evidence) for group in groups[:limit])
    return rows, len(groups) - len(rows)


def _alert_row(snapshot: TableSnapshot, alerts: list[AlertView], evidence: HoldEvidences) -> AlertRow:
    """Return one row for a group of equal alerts. Its status is the earliest status in the group."""
    newest = alerts[-1]
    least = next((one for one in alerts if one.status == "open"), newest)
    money = _at_stake(snapshot, newest)
    return AlertRow(
        alert=newest.alert,
        alerts=tuple(one.alert for one in alerts),
        text=current_text(snapshot, "alert", newest.code, newest.params),
        severity=newest.severity,
        round=newest.round,
        at_utc_us=newest.at_utc_us,
        since_utc_us=alerts[0].at_utc_us,
        status=least.status,
        by=least.by.partition(":")[2],
        note=least.note,
        box=_box(snapshot, newest),
        money=None if money is None else units(Money(money)),
        holds=still_holds(snapshot, newest),
        held=evidence.of(newest.code, newest.params),
    )


def still_holds(snapshot: TableSnapshot, alert: AlertView) -> bool:
    """Whether the alert's fault still holds the table: then it needs a ruling and cannot be resolved."""
    return any((hold.code, hold.params) == (alert.code, alert.params) for hold in snapshot.holds)


def _box(snapshot: TableSnapshot, alert: AlertView) -> int:
    """The box that the cameras are asked for: the alert's own, else that of the hold that it tells of."""
    place = _place(alert.params)
    if place != _NOWHERE:
        return place
    named = (alert.code, alert.params)
    return next((hold.box for hold in snapshot.holds if (hold.code, hold.params) == named), _NOWHERE)


def _place(params: Params) -> int:
    box = dict(params).get("box")
    return box if isinstance(box, int) else _NOWHERE


def _at_stake(snapshot: TableSnapshot, alert: AlertView) -> int | None:
    """Return the amount of a wrong payout, else the box's stake in this round; None when neither is known."""
    params = dict(alert.params)
    paid, expected = params.get("paid"), params.get("expected")
    if isinstance(paid, int) and isinstance(expected, int):
        return abs(paid - expected)
    if alert.round != snapshot.state.book.number:
        return None
    box = next((one for one in snapshot.state.boxes if one.box == _place(alert.params)), None)
    if box is None:
        return None
    on_hands = sum(stake for hand in box.hands for _, stake in hand.stakes)
    return (on_hands or sum(stake for _, stake in box.bets)) + sum(stake for _, stake in box.insurance)


_NUMBER: Final = re.compile(r"\d{1,15}$")
"""Digits at the end of a slip's number; what stands before them is the house's."""


def next_slips(book: Book) -> NextSlips:
    """Return the unused number after the last slip of each kind, void or not: "F009" gives "F010"."""
    return NextSlips(
        fill=_next(book, "fill"), credit=_next(book, "credit"), drop=str(len(drops_of_day(book)) or "")
    )


def _next(book: Book, kind: SlipKind) -> str:
    used = [slip.number for slip in book.slips if slip.kind == kind]
    found = _NUMBER.search(used[-1]) if used else None
    if found is None:
        return ""
    digits, before = found.group(), used[-1][: found.start()]
    number = int(digits) + 1
    while (proposed := f"{before}{number:0{len(digits)}}") in used:
        number += 1
    return proposed


_SHOE_WAY: Final = "shoe"
"""The way out of a hold that a fresh shoe or a shuffle is."""


class ClosingCount(ViewModel):
    """The differences of the shoe's closing count, for the pit: cards such as "As, 9h x2".

    `open` is false when no count waits for a ruling; then no card is named. `unread` is the number of dealt
    cards without a rank. `counting`: the rest is running through the reader, and a key of `out` removes a
    surplus card from the count.
    """

    open: bool
    missing: str
    extra: str
    unread: int
    counting: bool
    out: tuple[Key, ...]


def shoe_view(snapshot: TableSnapshot) -> ShoeView:
    """Return the shoe's panel."""
    state = snapshot.state
    count_by_reader = Key(
        key="REST_COUNT",
        note=say("note.REST_COUNT"),
        acts=(ObserveAct(obs={"obs": "rest_count", "state": "begin"}),),
    )
    # The closing count is entered in a dialog: a shoe that was entered as at its end deals no more cards.
    key = Key(key="SHOE_REST", note=say("note.SHOE_REST"))
    return ShoeView(
        state=_state_of(state),
        decks=state.shoe.decks,
        burn_due=state.shoe.burn_due,
        burn_later=state.shoe.burn_later,
        shuffle_due=needs_shuffle(state),
        keys=(
            *_load_keys(snapshot),
            _cut_key(state),
            _shuffle_key(snapshot),
            _off(count_by_reader, _not_at_end(snapshot)),
        ),
        rest=_off(key, _not_at_end(snapshot)),
        limits=_limits(state),
    )


def closing_view(snapshot: TableSnapshot) -> ClosingCount:
    """Return the last closing count's missing and surplus cards; the caller checks that a supervisor asks."""
    named = dict(snapshot.closing)
    return ClosingCount(
        open=bool(named),
        missing=with_signs(str(named.get("missing", ""))),
        extra=with_signs(str(named.get("extra", ""))),
        unread=int(named.get("unread", 0)),
        counting=snapshot.rest is not None,
        out=_out_keys(snapshot.closing) if snapshot.rest is not None else (),
    )


def _out_keys(closing: Params) -> tuple[Key, ...]:
    """Return a key for each kind of surplus card with a known suit."""
    named = {part.partition(" ")[0] for part in str(dict(closing).get("extra", "")).split(", ")}
    return tuple(
        Key(
            key=f"REST_OUT_{rank}{suit}",
            label=say("key.REST_OUT", card=with_signs(f"{rank}{suit}")),
            acts=(ObserveAct(obs={"obs": "rest_card", "rank": rank, "suit": suit, "out": True}),),
        )
        for rank in RANKS
        for suit in SUITS
        if f"{rank}{suit}" in named
    )


def load_key(decks: int, *, burned: int = 0) -> Key:
    """The key that tells of a fresh shoe of so many packs; `burned` cards are burned from it at once."""
    return Key(
        key="START_SHOE",
        note=say("note.BURN_PACKS" if burned else "note.PACKS", decks=decks, count=burned),
        acts=(ObserveAct(obs={"obs": "shoe", "decks": decks}),),
    )


def shuffle_key(state: TableState) -> Key:
    """The key that tells of a shuffle: of the discards while a round needs cards, else of all cards."""
    cards: Shuffled = "all" if needs_no_card(state) else "discards"
    return Key(
        key="SHUFFLE",
        label=say(f"key.SHUFFLE_{cards.upper()}"),
        note=say(f"note.SHUFFLE_{cards.upper()}"),
        acts=(ObserveAct(obs={"obs": "shuffle", "cards": cards}),),
    )


def _state_of(state: TableState) -> ShoeState:
    shoe = state.shoe
    if shoe.void:
        return "void"
    if shoe.ended:
        return "dealt_out"
    if is_spent(shoe):
        return "run_out"
    # Cards may have been dealt from a shoe without its entry.
    return "in_use" if shoe.loaded or shoe.seen or state.book.number > 1 else "not_entered"


def _load_keys(snapshot: TableSnapshot) -> tuple[Key, ...]:
    """A key for each number of packs that the rules allow."""
    state, rules = snapshot.state, snapshot.rules
    packs = dict.fromkeys((rules.decks, *rules.packs_allowed))
    why = _held(snapshot)
    if why is None and not can_load(state, ShoeLoaded(rules.decks)):
        why = say("why.CARDS_LEFT")
    burned = rules.burn_cards if needs_no_card(state) else 0
    keys = (load_key(decks, burned=burned) for decks in packs)
    return tuple(
        _off(key if decks == rules.decks else key.model_copy(update={"key": f"{key.key}_{decks}"}), why)
        for decks, key in zip(packs, keys, strict=True)
    )


def _cut_key(state: TableState) -> Key:
    """Return the key of the cut card, which can come out during any hold."""
    out = state.shoe.cut or needs_shuffle(state)
    key = Key(
        key="CUT_CARD",
        note=say("note.CUT_NOW" if before_first_card(state) else "note.CUT_LATER"),
        acts=(ObserveAct(obs={"obs": "cut_card"}),),
    )
    return _off(key, say("why.CUT_CARD_OUT") if out else None)


def _shuffle_key(snapshot: TableSnapshot) -> Key:
    state = snapshot.state
    why = _held(snapshot)
    if not can_shuffle(state, ShoeShuffled("all")):
        why = described("refused", "SHOE_VOID")
    elif not needs_no_card(state) and not is_spent(state.shoe):
        why = say("why.CARDS_LEFT")
    return _off(shuffle_key(state), why)


def _not_at_end(snapshot: TableSnapshot) -> Words | None:
    """Why the shoe's end cannot be entered now: its rest is run through between the rounds."""
    if snapshot.holds:
        return described("refused", "TABLE_HELD")
    if snapshot.rest is not None:
        return described("refused", "REST_COUNTED")
    return None if needs_no_card(snapshot.state) else say("why.FINISH_ROUND")


def _held(snapshot: TableSnapshot) -> Words | None:
    """Why no shoe can be entered while the table waits, unless that is a way out of one of its holds."""
    if snapshot.rest is not None:
        return described("refused", "REST_COUNTED")
    if not snapshot.holds or any(_SHOE_WAY in hold.ways for hold in snapshot.holds):
        return None
    return described("refused", "TABLE_HELD")


def _off(key: Key, why: Words | None) -> Key:
    """The key, off with the reason where there is one."""
    return key if why is None else key.model_copy(update={"enabled": False, "note": why})


def _limits(state: TableState) -> LimitsView:
    """The limits that were entered last: those of this round, or those from the next one on."""
    source = state.book.limits_next or state.book.rules
    return LimitsView(
        stake_min=units(source.stake_min),
        stake_max=units(source.stake_max),
        stake_step=units(source.stake_step),
    )
