"""A played round as the things that two replays of it can differ in, causes before consequences."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, get_args

from controller.acts.catalogue import Bet, Decision, EvenMoney, Insurance, Paid
from controller.domain import Adjusted, Alert, Disputed, Refused, Settled
from controller.engine.state import Seen, TableState
from controller.feed.replay import LockedCard, PlayedNotice, Skipped, round_json
from controller.history.entry_line import Body, EntryLine
from controller.history.history import History, Row
from controller.policy.line import SYSTEM
from controller.policy.money import payout_of
from controller.policy.run import Held, Inferred, Released
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
    """The subject of a fact: `box` 0 is no box, `hand` 0 no hand; `code` of an alert, a hold, a refusal."""

    kind: FactKind
    box: int = 0
    seat: int = 0
    hand: int = 0
    code: str = ""


class RoundFact(NamedTuple):
    """One fact: its value, and the line behind each part of it, None without one.

    An amount is in minor units; cards and decisions are one part each.
    """

    value: int | tuple[str, ...]
    lines: tuple[RoundLine | None, ...] = ()


FactsByName = dict[FactName, RoundFact]


BETS: Final = """SELECT box, seat, staked, returned, coalesce(paid, returned) AS handed_back,
  paid IS NOT NULL AS entered, coalesce(paid - returned, 0) AS difference,
  coalesce(paid, returned) - staked AS net FROM bet WHERE round = ? ORDER BY box, seat"""
PARTS: Final = """SELECT hand, kind, outcome, stake, returned FROM part
  WHERE (round, box, seat) = (?, ?, ?) ORDER BY nth"""
GIVEN: Final = "SELECT box, seat, paid FROM payout WHERE round = ? ORDER BY seq"


class RoundMoney(NamedTuple):
    """The amounts of a round in minor units, `bets` by bettor with the `parts` of each stake.

    `returned` is what is due. `handed_back` is the reported payout, and what is due without one (`entered`
    false). `difference` is `handed_back` less `returned`, `net` it less `staked`. `given` are all reported
    payouts, also to a bettor without a bet.
    """

    bets: list[Row]
    given: list[Row]


class MoneyOfRounds:
    """Selects the amounts of played rounds: their results and payouts are taken into a journal in memory."""

    def __init__(self) -> None:
        """Begin before the first round."""
        self._history: Final = History()
        self._rounds = 0

    def of(self, played: PlayedRound) -> RoundMoney:
        """The amounts of one round; none without a result."""
        # Counted on: rounds of two files, and of two ways to play one, have equal numbers.
        self._rounds += 1
        number = self._rounds
        self._history.take(
            EntryLine(seq, kind, 0, number, "", {**body, "round": number})
            for seq, (kind, body) in enumerate(_bodies(played), self._history.seq + 1)
        )
        bets = self._history.rows(BETS, (number,))
        for bet in bets:
            bet["entered"] = bool(bet["entered"])
            bet["parts"] = self._history.rows(PARTS, (number, bet["box"], bet["seat"]))
        return RoundMoney(bets, self._history.rows(GIVEN, (number,)))


def _bodies(played: PlayedRound) -> Iterator[tuple[str, Body]]:
    """Kind and body of the entries of a round's result and of its payouts."""
    if played.result is None:
        return
    yield "settled", round_json(played.result)
    for box, seat, amount in played.state.settlement.paid:
        payout = payout_of(played.state, Paid(box, seat, amount), SYSTEM)
        if payout is not None:
            yield "payout", payout._asdict()


def facts_of(played: PlayedRound, money: MoneyOfRounds) -> FactsByName:
    """Everything of a round that can differ. A card that lies face down is `?`."""
    return {
        **facts_dealt(played),
        **dict(_complaints(played)),
        **dict(_results(played, money.of(played))),
    }


def facts_dealt(played: PlayedRound) -> FactsByName:
    """Return the entries and cards of a round, which identify it in two files."""
    return {**dict(_entered(played)), **dict(_cards(played))}


def _entered(played: PlayedRound) -> Iterator[tuple[FactName, RoundFact]]:
    """Yield the entries of a round: stakes at its beginning, decisions, answers."""
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
        case _:
            return FactName("status")  # No fact that is compared by its line.


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
    """Return the ranks of a round's cards in the order of arrival; a face-down card is `?`."""
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
    """Whether no known suit differs; hands of different length already differ in their cards."""
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


def _results(played: PlayedRound, money: RoundMoney) -> Iterator[tuple[FactName, RoundFact]]:
    if played.result is None:
        return
    line = (_settling_line(played),)
    yield FactName("status"), RoundFact((played.result.status,), line)
    for bet in money.bets:
        box, seat = bet["box"], bet["seat"]
        for part in bet["parts"]:
            name = FactName("outcome", box, seat, part["hand"], part["kind"])
            yield name, RoundFact((part["outcome"],), line)
        yield FactName("staked", box, seat), RoundFact(bet["staked"], line)
        yield FactName("returned", box, seat), RoundFact(bet["returned"], line)
    for given in money.given:
        yield FactName("given", given["box"], given["seat"]), RoundFact(given["paid"], line)


def _settling_line(played: PlayedRound) -> RoundLine | None:
    """Return the line with which the round settled; None without one."""
    settled = [recorded for recorded, notice in played.notices if isinstance(notice, Settled)]
    return settled[-1] if settled else None
