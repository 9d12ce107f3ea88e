"""A replayed feed in words: its rounds, faults and refusals, and how they differ from an expectation."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from controller.acts.catalogue import Observation
from controller.domain import (
    Adjusted,
    Alert,
    BetResult,
    Difference,
    Disputed,
    Refused,
    RoundResult,
    Settled,
    escaped,
)
from controller.feed.codec import to_json
from controller.feed.feed_lines import FeedLine
from controller.feed.replay import MISSING, RULINGS, Json, LockedCard, Played, PlayedNotice, Skipped
from controller.i18n import money, text
from controller.policy.run import Held, Inferred, Released

CatalogueText = Callable[[str, str, dict[str, Any]], str]
"""Catalogue text by kind (`refused`, `alert`), code and parameters."""
AmountText = Callable[[int], str]
"""Minor units as a text."""

_STYLES = {"settled": "", "voided": "dim", "disputed": "bold red", "open": "yellow"}


def text_report(played: Played, words: CatalogueText, units: AmountText) -> Iterator[tuple[str, str]]:
    """(text, style) lines for one played line."""
    place = f"line {played.line.number}: " if played.line else ""
    if played.line is not None and is_ruling(played.line.obs):
        # A reason with a line feed of its own would forge a line.
        yield f"  {place}{escaped(_ruling(played.line))}", "cyan"
    for notice in played.notices:
        yield from _lines(place, notice, words, units)


def is_ruling(observation: Observation) -> bool:
    """Whether the line is a ruling: its author and reason are always printed."""
    return type(observation) in RULINGS


def _ruling(line: FeedLine) -> str:
    """Return a ruling with its author and reason."""
    fields = to_json(line.obs)
    by = str(line.by or fields.get("by") or "-")
    reason = fields.get("reason")
    about = " ".join(
        f"{name} {value}" for name, value in fields.items() if name not in _UNTOLD and value is not None
    )
    return f"{by} rules {fields['obs']} {about}".rstrip() + (f": {reason}" if reason else "")


_UNTOLD: Final = frozenset(("obs", "by", "second", "reason", "rank", "suit", "card"))
"""Fields of a ruling that are said elsewhere, and those that could name a card that lies face down."""


def _lines(
    place: str, notice: PlayedNotice, words: CatalogueText, units: AmountText
) -> Iterator[tuple[str, str]]:
    match notice:
        case Held() | Released() | Inferred() | LockedCard() | Skipped():
            yield _effect(place, notice, words)
        case Settled(result):
            yield from _round(result, units)
        case Refused(code, params):
            yield f"  {place}refused {code}: {words('refused', code, dict(params))}", "yellow"
        case Alert(code, severity, number, params):
            text = words("alert", code, dict(params))
            yield f"! {place}round {number} {severity} {code}: {text}", "bold red"
        case Disputed(number, code, params):
            yield (
                f"! {place}round {number} disputed, {code}: {words('alert', code, dict(params))}",
                "bold red",
            )
        case Adjusted(number, bets):
            for moved in bets:
                sentence = f"round {number} box {moved.box}{_behind(moved.seat)}: {_change(moved, units)}"
                yield f"± {place}{sentence}", "magenta"


def _locked(card: LockedCard) -> str:
    """A card that a camera has reported to the table."""
    name = f"{card.rank}{card.suit or ''}" if card.rank else "face down" if card.face == "down" else "unread"
    where = f"box {card.box} hand {card.hand}" if card.box else "dealer"
    return f"  seen {name} at {where}" + (", across" if card.pose == "across" else "")


def _change(moved: Difference, units: AmountText) -> str:
    before, after = moved.returned_before, moved.returned_after
    change = f"{units(before)} becomes {units(after)} ({_signed(after - before, units)})"
    if moved.staked_before == moved.staked_after:
        return change
    return f"{change}, staked {units(moved.staked_before)} becomes {units(moved.staked_after)}"


def _effect(
    place: str, effect: Held | Released | Inferred | LockedCard | Skipped, words: CatalogueText
) -> tuple[str, str]:
    """Return an effect of the table's door beside the engine, and a camera's card."""
    match effect:
        case LockedCard():
            return _locked(effect), "dim"
        case Skipped(first, last, because):
            return f"  lines {first} to {last} skipped: nobody ruled on {because}", "yellow"
        case Held(hold=hold):
            ways, entered = ", ".join(hold.ways) or "-", words("hold", hold.code, dict(hold.params))
            return f"! {place}held {hold.code}: {entered} (release {hold.release}, ways {ways})", "bold red"
        case Released(hold=hold, resumed=resumed):
            return f"  {place}{'resumed over' if resumed else 'released'} {hold.code}", "green"
        case Inferred(what=what, box=box, hand=hand):
            return f"  {place}inferred {what}" + (f" box {box} hand {hand}" if box else ""), "yellow"


def _round(result: RoundResult, units: AmountText) -> Iterator[tuple[str, str]]:
    dealer = result.dealer
    shown = f"{' '.join(dealer.cards) or '-'} = {dealer.total}" + (" blackjack" if dealer.blackjack else "")
    style = _STYLES[result.status]
    yield f"Round {result.round} {result.status}, dealer {shown}", style or "bold"
    for bet in result.bets:
        yield f"  box {bet.box}{_behind(bet.seat)}: {_bet(result, bet, units)}", style
    for box, hand, bonus in result.bonuses:
        yield f"  box {box} hand {hand}: {bonus}", "cyan"


def _bet(result: RoundResult, bet: BetResult, units: AmountText) -> str:
    cards = {hand.hand: hand for hand in result.hands if hand.box == bet.box}
    if not bet.parts:
        return f"{units(bet.staked)} on the layout"
    parts = []
    for part in bet.parts:
        hand = cards.get(part.hand)
        held = f"{' '.join(hand.cards)} = {hand.total} " if hand and part.kind == "main" else "insurance "
        parts.append(f"{held}{part.outcome} {units(part.stake)} -> {units(part.returned)}")
    return f"{'; '.join(parts)}  net {_signed(bet.returned - bet.staked, units)}"


def _signed(amount_minor: int, units: AmountText) -> str:
    return ("+" if amount_minor > 0 else "") + units(amount_minor)


def _behind(seat: int) -> str:
    return f" seat {seat}" if seat else ""


AMOUNTS: Final = ("returned", "staked", "net", "stake")
"""Fields of a round that are amounts in minor units."""


def value_words(row: Json, currency: str) -> str:
    """Return the sentence of a difference, given as by `ExpectationDifference.placed`."""
    holes = {
        "place": place_words(row) or row["key"],
        "code": row["key"],
        **{name: _value(row, row[name], currency) for name in ("expected", "actual")},
    }
    if row.get("what") == "round":
        return text("report.round_extra" if row["expected"] == MISSING else "report.round_missing")
    known = f"diff.{row.get('what')}"
    words = text(known, holes)
    # A field that has no sentence of its own.
    return text("report.value", holes) if words.startswith(known) else words


def place_words(row: Json) -> str:
    """Return the box, with the seat or the hand if there is one; "" without a box."""
    if "box" not in row:
        return ""
    key = "diff.at_seat" if row.get("seat") else "diff.at_hand" if row.get("hand") else "diff.at_box"
    return text(key, row)


def _value(row: Json, value: object, currency: str) -> str:
    if row.get("what") in AMOUNTS and isinstance(value, int):
        return money(value, currency=currency)
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
