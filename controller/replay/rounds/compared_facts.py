"""A played round as the things that two replays of it can differ in, causes before consequences."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, get_args

from controller.acts.catalogue import Bet, Decision, EvenMoney, Insurance
from controller.domain import Adjusted, Alert, Disputed, Refused, RoundResult, Settled
from controller.engine.state import Seen, TableState
from controller.feed.json_report import LockedCard
from controller.feed.replay import PlayedNotice, Skipped
from controller.policy.state.effects import Held, Inferred, Released
from controller.replay.rounds.played import PlayedRound, RoundLine
from controller.runtime.redaction import redacted

FactKind = Literal[
    "read",
    "said",
    "stake",
    "missing",
    "extra",
    "order",
    "cards",
    "suits",
    "dealer",
    "dealer_suits",
    "decision",
    "insurance",
    "even_money",
    "refused",
    "alert",
    "hold",
    "dispute",
    "status",
    "outcome",
    "staked",
    "returned",
    "given",
]
"""`read` is a card as a camera named it, `said` what came on a line or lay outside the boxes; `code` names
that device. `missing`, `extra` and `order` are about the cards as they came, `code` says after how many.
`returned` is what the settlement hands back, stake included; `given` what was reported as handed back."""

KINDS: Final[tuple[FactKind, ...]] = get_args(FactKind)
"""In the order in which one leads to the next."""

MONEY: Final[frozenset[FactKind]] = frozenset(("stake", "insurance", "staked", "returned", "given"))
"""Whose values are amounts in minor units."""


class FactName(NamedTuple):
    """What a fact is about: `box` 0 is no box, `hand` 0 no hand; `code` of an alert, a hold, a refusal."""

    kind: FactKind
    box: int = 0
    seat: int = 0
    hand: int = 0
    code: str = ""


class RoundFact(NamedTuple):
    """One fact: its value, and for each part of it the line that gave it, None where no line did.

    An amount is in minor units; cards and decisions are one part each.
    """

    value: int | tuple[str, ...]
    lines: tuple[RoundLine | None, ...] = ()


FactsByName = dict[FactName, RoundFact]


def facts_of(played: PlayedRound) -> FactsByName:
    """Everything of a round that can differ. A card that lies face down is `?`."""
    return {
        **dict(_entered(played)),
        **dict(_cards(played)),
        **dict(_complaints(played)),
        **dict(_results(played)),
    }


def _entered(played: PlayedRound) -> Iterator[tuple[FactName, RoundFact]]:
    """What people entered: stakes as they lay when the round began, decisions, answers."""
    lines = {_about(recorded): recorded for recorded in played.lines if recorded.came}
    for box in played.state.boxes:
        for seat, stake in box.bets:
            name = FactName("stake", box.box, seat)
            yield name, RoundFact(stake, (lines.get(name),))
        for seat, stake in box.insurance:
            name = FactName("insurance", box.box, seat)
            yield name, RoundFact(stake, (lines.get(name),))
        for seat in box.even:
            name = FactName("even_money", box.box, seat)
            yield name, RoundFact(("yes",), (lines.get(name),))
    decisions: dict[FactName, list[tuple[str, RoundLine]]] = {}
    for recorded in played.lines:
        obs = recorded.line.obs
        # A hit shows in the cards, whether it was entered or not.
        if recorded.came and isinstance(obs, Decision) and obs.action != "hit" and not _is_refused(recorded):
            decisions.setdefault(_about(recorded), []).append((obs.action, recorded))
    for name, made in decisions.items():
        yield name, RoundFact(tuple(action for action, _ in made), tuple(recorded for _, recorded in made))


def _about(one: RoundLine) -> FactName:
    match one.line.obs:
        case Bet(box=box, seat=seat):
            return FactName("stake", box, seat)
        case Insurance(box=box, seat=seat):
            return FactName("insurance", box, seat)
        case EvenMoney(box=box, seat=seat):
            return FactName("even_money", box, seat)
        case Decision(box=box, hand=hand):
            return FactName("decision", box, 0, hand)
    return FactName("status")


def _is_refused(one: RoundLine) -> bool:
    return any(isinstance(notice, Refused) for notice in one.notices)


def _cards(played: PlayedRound) -> Iterator[tuple[FactName, RoundFact]]:
    # Identity, since two cards of one shoe can be reported in the same words.
    lines = {id(recorded.line.obs): recorded for recorded in played.lines}
    seen = {card.n: lines.get(id(card.obs)) for card in _all_cards(played.state)}
    state = redacted(played.state)
    for box in state.boxes:
        for hand in box.hands:
            yield FactName("cards", box.box, 0, hand.number), _hand(hand.cards, seen)
            yield FactName("suits", box.box, 0, hand.number), _suits(hand.cards, seen)
    yield FactName("dealer"), _hand(state.dealer.cards, seen)
    yield FactName("dealer_suits"), _suits(state.dealer.cards, seen)


def cards_in_order(played: PlayedRound) -> RoundFact:
    """The ranks of a round's cards as they came, whoever got them; one that lies face down is `?`."""
    lines = {id(recorded.line.obs): recorded for recorded in played.lines}
    line_of_card = {card.n: lines.get(id(card.obs)) for card in _all_cards(played.state)}
    came = sorted(_all_cards(redacted(played.state)), key=lambda card: card.n)
    return RoundFact(
        tuple(card.obs.rank or "?" for card in came), tuple(line_of_card[card.n] for card in came)
    )


def _all_cards(state: TableState) -> Iterator[Seen]:
    for box in state.boxes:
        for hand in box.hands:
            yield from hand.cards
    yield from state.dealer.cards


def _hand(cards: tuple[Seen, ...], lines: dict[int, RoundLine | None]) -> RoundFact:
    """Ranks alone: suits are facts of their own, since a reader may not know them."""
    return RoundFact(tuple(card.obs.rank or "?" for card in cards), tuple(lines[card.n] for card in cards))


UNKNOWN: Final = "?"
"""A suit that the file does not say: it differs from none."""


def _suits(cards: tuple[Seen, ...], lines: dict[int, RoundLine | None]) -> RoundFact:
    told = tuple(card.obs.suit or UNKNOWN for card in cards)
    return RoundFact(told, tuple(lines[card.n] for card in cards))


def same_suits(one: RoundFact, other: RoundFact) -> bool:
    """Whether no suit differs that both say; hands of other lengths differ in their cards already."""
    assert isinstance(one.value, tuple), "suits are words"
    assert isinstance(other.value, tuple), "suits are words"
    return len(one.value) != len(other.value) or all(
        left == right or UNKNOWN in (left, right) for left, right in zip(one.value, other.value, strict=True)
    )


def _complaints(played: PlayedRound) -> Iterator[tuple[FactName, RoundFact]]:
    found: Counter[FactName] = Counter()
    first: dict[FactName, RoundLine] = {}
    for recorded, notice in played.notices:
        name = complaint_of(notice)
        if name is not None:
            found[name] += 1
            first.setdefault(name, recorded)
    for name, count in found.items():
        yield name, RoundFact((str(count),), (first[name],))


def complaint_of(notice: PlayedNotice) -> FactName | None:
    """The refusal, alert, hold or dispute that a notice tells; None for any other."""
    match notice:
        case Refused(code=code):
            return FactName("refused", code=code)
        case Alert(code=code):
            return FactName("alert", code=code)
        case Held(hold=hold):
            return FactName("hold", code=hold.code)
        case Disputed(code=code):
            return FactName("dispute", code=code)
        case Settled() | Adjusted() | Released() | Inferred() | LockedCard() | Skipped():
            return None


def _results(played: PlayedRound) -> Iterator[tuple[FactName, RoundFact]]:
    result = played.result
    if result is None:
        return
    line = (settling_line(played),)
    yield FactName("status"), RoundFact((result.status,), line)
    yield from ((name, RoundFact(value, line)) for name, value in _payments(result))
    for box, seat, amount in played.state.settlement.paid:
        yield FactName("given", box, seat), RoundFact(amount, line)


def _payments(result: RoundResult) -> Iterator[tuple[FactName, int | tuple[str, ...]]]:
    for bet in result.bets:
        for part in bet.parts:
            yield FactName("outcome", bet.box, bet.seat, part.hand, part.kind), (part.outcome,)
        yield FactName("staked", bet.box, bet.seat), bet.staked
        yield FactName("returned", bet.box, bet.seat), bet.returned


def settling_line(played: PlayedRound) -> RoundLine | None:
    """The line that the round settled with, None where it did not."""
    settled = [recorded for recorded, notice in played.notices if isinstance(notice, Settled)]
    return settled[-1] if settled else None
