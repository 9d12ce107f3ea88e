"""Why the table waits, as rows for the pit: the rule, the evidence, and the ways out."""

import re
from collections.abc import Sequence
from typing import Final

from controller.acts.catalogue import CardSeen
from controller.engine.state import TableState
from controller.i18n import catalogue
from controller.policy.allowed.mending import subjects_of
from controller.policy.state.holds import (
    CAMERAS_DIFFER,
    FROZEN,
    PICTURE_DIFFERS,
    READ_DIFFERENTLY,
    Hold,
    kind_of,
)
from controller.runtime.api import HoldView, TableSnapshot
from controller.screens.pit.device_words import current_text
from controller.screens.shapes.view import CardReading, HoldRow
from controller.screens.shapes.words import OpenCard, Words, say, short

_CARD: Final = re.compile(r"(10|[2-9AJQK])([cdhs])?")
OWN_CHOICE: Final = "house's choice"
"""What a rule file says where no text or practice decides."""


def frozen_by_pit(holds: Sequence[HoldView]) -> str | None:
    """Who of the pit has stopped the table; None where nobody has, or where the dealer has called."""
    by = [hold.by.partition(":") for hold in holds if hold.code == FROZEN]
    return by[0][2] if by and all(role == "pit" for role, _, _ in by) else None


def hold_rows(snapshot: TableSnapshot, limit: int) -> tuple[HoldRow, ...]:
    """The holds of a table, oldest first, at most `limit` of them."""
    return tuple(_row(snapshot, hold) for hold in snapshot.holds[:limit])


def _row(snapshot: TableSnapshot, hold: HoldView) -> HoldRow:
    seat, known = dict(hold.params).get("seat"), known_hold(hold)
    by = frozen_by_pit((hold,))
    text = current_text(snapshot, "hold", hold.code, hold.params)
    return HoldRow(
        title=short(hold.code) if by is None else say("fault_name.FROZEN_BY_PIT"),
        text=text if by is None else say("hold.FROZEN_BY_PIT", by=by),
        since_utc_us=hold.since_utc_us,
        by=hold.by,
        code=hold.code,
        release=hold.release,
        ways=hold.ways,
        rule=rule_words(hold.source),
        rule_text=_rule_text(hold.code),
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
    """The hold as far as a screen may know it: a snapshot has not what the policy knows beside."""
    return Hold(hold.code, hold.release, hold.ways, hold.params, hold.round, hold.card, hold.box, fault=True)


def _readings(state: TableState, hold: HoldView) -> tuple[CardReading, ...]:
    """Both cards where two readers differ over one; none where one has not read it, or it is secret."""
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


def rule_words(source: str) -> Words | None:
    """The citations of a source; that the ruling is the house's own is said in the reader's language."""
    if not source:
        return None
    numbers = "; ".join(part for part in source.split("; ") if part != OWN_CHOICE)
    if OWN_CHOICE not in source:
        return say("ui.rule", source=numbers)
    return say("ui.rule_own_of", source=numbers) if numbers else say("ui.rule_own")


def _rule_text(code: str) -> Words | None:
    """The rule in one sentence; None for a hold of the runtime's own, which breaks no rule of the game."""
    key = f"rule.{code}"
    return say(key) if key in catalogue("en") else None


def _read(state: TableState, hold: HoldView) -> Words | None:
    """Who read the card that does not fit, and how surely, as far as the device said."""
    if not hold.card or hold.round != state.book.number:
        return None
    seen = next((fact.obs for fact in state.log if fact.n == hold.card), None)
    if not isinstance(seen, CardSeen) or seen.by is None:
        return None
    if seen.p is None:
        return say("ui.read_by", by=seen.by)
    return say("ui.read_surely", by=seen.by, percent=int(seen.p * 100))
