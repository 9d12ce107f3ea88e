"""Differences of two files, or of one file under two rule sets, the first difference first.

A played round is compared fact by fact, causes before consequences.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final, Literal, NamedTuple, get_args

from controller.acts.catalogue import Bet, Decision, EvenMoney, Insurance, Paid
from controller.domain import Adjusted, Alert, ConfigError, Disputed, Refused, Settled
from controller.engine.state import Seen, TableState, new_table
from controller.feed.feed_lines import parse_table_options
from controller.feed.feed_table import rejoined
from controller.feed.replay import Json, LockedCard, PlayedNotice, Skipped, round_json
from controller.history.entry_line import Body, EntryLine
from controller.history.history import History, Row
from controller.policy.line import SYSTEM
from controller.policy.money import payout_of
from controller.policy.run import Held, Inferred, Released
from controller.replay.played import PlayedRound, RoundLine, door_rules, played_rounds
from controller.replay.table_file import ReadFile, with_profile, with_rule_file
from controller.runtime.redaction import is_secret, redacted

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


class MoneyOfRounds:
    """Selects the amounts of played rounds: their results and payouts are taken into a journal in memory.

    Amounts are minor units. Each bet has the `parts` of its stake. `returned` is what is due; `handed_back`
    is the reported payout, and what is due without one (`entered` false). `difference` is `handed_back` less
    `returned`, `net` it less `staked`.
    """

    def __init__(self) -> None:
        """Begin before the first round."""
        self._history: Final = History()
        self._rounds = 0

    def of(self, played: PlayedRound) -> tuple[list[Row], list[Row]]:
        """The bets of one round, and all its payouts, also those without a bet; none without a result."""
        # Counted on: rounds of two files, and of two ways to play one, have equal numbers.
        self._rounds += 1
        number = self._rounds
        bodies: list[tuple[str, Body]] = []
        if played.result is not None:
            paid = (Paid(*one) for one in played.state.settlement.paid)
            payouts = (payout_of(played.state, one, SYSTEM) for one in paid)
            bodies = [("settled", round_json(played.result))]
            bodies += [("payout", one._asdict()) for one in payouts if one is not None]
        self._history.take(
            EntryLine(seq, kind, 0, number, "", {**body, "round": number})
            for seq, (kind, body) in enumerate(bodies, self._history.seq + 1)
        )
        bets = self._history.rows(BETS, (number,))
        for bet in bets:
            bet["entered"] = bool(bet["entered"])
            bet["parts"] = self._history.rows(PARTS, (number, bet["box"], bet["seat"]))
        return bets, self._history.rows(GIVEN, (number,))


def facts_of(played: PlayedRound, money: MoneyOfRounds) -> FactsByName:
    """Everything of a round that can differ. A card that lies face down is `?`."""
    return {
        **_facts_dealt(played),
        **dict(_complaints(played)),
        **dict(_results(played, money)),
    }


def _facts_dealt(played: PlayedRound) -> FactsByName:
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
        refused = any(isinstance(notice, Refused) for notice in recorded.notices)
        # A hit shows in the cards, whether it was entered or not.
        if recorded.came and isinstance(obs, Decision) and obs.action != "hit" and not refused:
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


def _cards(played: PlayedRound) -> Iterator[tuple[FactName, RoundFact]]:
    seen, state = _lines_of_cards(played), redacted(played.state)
    for box in state.boxes:
        for hand in box.hands:
            yield FactName("cards", box.box, 0, hand.number), _hand(hand.cards, seen)
            yield FactName("suits", box.box, 0, hand.number), _suits(hand.cards, seen)
    yield FactName("dealer"), _hand(state.dealer.cards, seen)
    yield FactName("dealer_suits"), _suits(state.dealer.cards, seen)


def _cards_in_order(played: PlayedRound) -> RoundFact:
    """Return the ranks of a round's cards in the order of arrival; a face-down card is `?`."""
    came = sorted(_all_cards(redacted(played.state)), key=lambda card: card.n)
    return _hand(tuple(came), _lines_of_cards(played))


def _lines_of_cards(played: PlayedRound) -> dict[int, RoundLine | None]:
    """The line of each card, by its number in the round."""
    # Identity, since two cards of one shoe can be reported in the same words.
    lines = {id(recorded.line.obs): recorded for recorded in played.lines}
    return {card.n: lines.get(id(card.obs)) for card in _all_cards(played.state)}


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


def _same_suits(one: RoundFact, other: RoundFact) -> bool:
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


def _results(played: PlayedRound, money: MoneyOfRounds) -> Iterator[tuple[FactName, RoundFact]]:
    if played.result is None:
        return
    settled = [recorded for recorded, notice in played.notices if isinstance(notice, Settled)]
    line = (settled[-1] if settled else None,)
    bets, payouts = money.of(played)
    yield FactName("status"), RoundFact((played.result.status,), line)
    for bet in bets:
        box, seat = bet["box"], bet["seat"]
        for part in bet["parts"]:
            name = FactName("outcome", box, seat, part["hand"], part["kind"])
            yield name, RoundFact((part["outcome"],), line)
        yield FactName("staked", box, seat), RoundFact(bet["staked"], line)
        yield FactName("returned", box, seat), RoundFact(bet["returned"], line)
    for given in payouts:
        yield FactName("given", given["box"], given["seat"]), RoundFact(given["paid"], line)


_FOUND_MAX: Final = 3
"""So many cards may be missing or too many in one place; more are another round, or its end."""


Opcode = tuple[str, int, int, int, int]
Cards = tuple[tuple[str, ...], tuple[str, ...]]


class CardOrder(NamedTuple):
    """The change from one row of cards to the other: `after` how many cards, the expected and actual cards.

    `at` is its place in the other row.
    """

    kind: FactKind
    after: int
    expected: tuple[str, ...]
    actual: tuple[str, ...]
    at: int


def _order_of(expected: RoundFact, actual: RoundFact) -> CardOrder | None:
    """Return the first place with a missing card, a surplus card, or another order.

    None for equal rows, for a card of another name, and for a row that ends earlier.
    """
    one, other = _ranks(expected), _ranks(actual)
    codes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    unlike = [code for code in codes if code[0] != "equal"]
    if not unlike or unlike[0] == codes[-1]:
        return None
    tag, start, end, other_start, other_end = unlike[0]
    came = (one[start:end], other[other_start:other_end])
    if unlike[1:] and came in _moved(one, other, unlike[1]):
        end = max(unlike[1][2] - start, unlike[1][4] - other_start)
        return CardOrder(
            "order", start, one[start : start + end], other[other_start : other_start + end], other_start
        )
    if tag == "replace" or max(map(len, came)) > _FOUND_MAX:
        return None
    return CardOrder("missing" if tag == "delete" else "extra", start, *came, other_start)


def _moved(one: tuple[str, ...], other: tuple[str, ...], code: Opcode) -> tuple[Cards, ...]:
    """Return the change that this opcode undoes: the same cards, at another place."""
    tag, start, end, other_start, other_end = code
    if tag == "insert":
        return ((other[other_start:other_end], ()),)
    return (((), one[start:end]),) if tag == "delete" else ()


def _ranks(fact: RoundFact) -> tuple[str, ...]:
    assert isinstance(fact.value, tuple), "cards are one part each"
    return fact.value


DifferenceKind = Literal["only_expected", "only_actual", "time"]
"""A round that only one of the two has; a line that came at another time of its round."""

SUITS: Final[frozenset[FactKind]] = frozenset(("suits", "dealer_suits"))


class RoundDifference(NamedTuple):
    """One difference.

    `round` is the number in the expected file, for a surplus round that in the other file. `line` is the line
    in the other file, else in the expected one. `expected` and `actual` are None without a value; amounts are
    in minor units. `by` is the reporter of that line, if named.
    """

    round: int
    what: FactName | DifferenceKind
    expected: int | tuple[str, ...] | None
    actual: int | tuple[str, ...] | None
    line: int | None = None
    t: float | None = None
    by: str | None = None

    @property
    def is_money(self) -> bool:
        """Whether the values are amounts."""
        return isinstance(self.what, FactName) and self.what.kind in MONEY

    def to_json(self) -> Json:
        """Return the object for `--json`, without empty fields."""
        about = self.what._asdict() if isinstance(self.what, FactName) else {"kind": self.what}
        names = {
            "what" if key == "kind" else key: value for key, value in about.items() if value or key == "kind"
        }
        if isinstance(self.what, FactName) and self.what.box:
            names["seat"] = self.what.seat
        found = self._asdict() | {"what": None}
        values = {key: value for key, value in found.items() if value is not None}
        return {"type": "difference", "round": self.round, **names, **values}


def diff_rounds(expected: Sequence[PlayedRound], actual: Sequence[PlayedRound]) -> Iterator[RoundDifference]:
    """Yield the differences, round by round in order, causes before consequences."""
    money = MoneyOfRounds()
    for one, other in paired(expected, actual):
        if one is None or other is None:
            found = one or other
            assert found is not None, "a pair has one round at least"
            line = found.lines[0].line
            kind: DifferenceKind = "only_actual" if one is None else "only_expected"
            yield RoundDifference(found.number, kind, None, None, line.number, line.t)
        else:
            yield from _in_order(one, other)
            yield from _diff_facts(one.number, facts_of(one, money), facts_of(other, money))


def timed(
    expected: Sequence[PlayedRound], actual: Sequence[PlayedRound], within_s: float
) -> Iterator[RoundDifference]:
    """Yield, for each round with as many lines, the first line with another time within the round.

    Values are seconds as text. The clocks of two files need not agree, so the time since the round's first
    line is compared; a difference of `within_s` or less is none.
    """
    for one, other in paired(expected, actual):
        if one is None or other is None or len(one.lines) != len(other.lines):
            continue
        for left, right in zip(one.lines, other.lines, strict=True):
            times = (left.line.t - one.lines[0].line.t, right.line.t - other.lines[0].line.t)
            if abs(times[0] - times[1]) > within_s:
                want, got = ((f"{round(t, 3):g}",) for t in times)
                yield RoundDifference(one.number, "time", want, got, right.line.number, right.line.t)
                break


def _in_order(one: PlayedRound, other: PlayedRound) -> Iterator[RoundDifference]:
    """Yield the card after which one is missing, surplus or misplaced: all later cards shift."""
    expected, actual = _cards_in_order(one), _cards_in_order(other)
    found = _order_of(expected, actual)
    if found is not None:
        line = _at(actual, found.at) or _at(expected, found.after)
        name = FactName(found.kind, code=str(found.after))
        where = (None, None) if line is None else (line.line.number, line.line.t)
        yield RoundDifference(one.number, name, found.expected or None, found.actual or None, *where)


def paired(
    expected: Sequence[PlayedRound], actual: Sequence[PlayedRound]
) -> Iterator[tuple[PlayedRound | None, PlayedRound | None]]:
    """Yield the pairs of equal rounds: by number in files of equal length, else by their cards."""
    if len(expected) == len(actual):
        yield from zip(expected, actual, strict=True)
        return
    matcher = SequenceMatcher(None, _signatures(expected), _signatures(actual), autojunk=False)
    for _, start, end, other_start, other_end in matcher.get_opcodes():
        yield from zip_longest(expected[start:end], actual[other_start:other_end])


def _signatures(rounds: Sequence[PlayedRound]) -> list[str]:
    """Return the stakes and cards that identify each round in two files."""
    wanted = ("stake", "cards", "dealer")
    return [
        repr([(name, fact.value) for name, fact in _facts_dealt(one).items() if name.kind in wanted])
        for one in rounds
    ]


def _diff_facts(number: int, want: FactsByName, got: FactsByName) -> Iterator[RoundDifference]:
    """Yield the differing facts of one round, causes before consequences."""
    names = [*want, *(name for name in got if name not in want)]
    nothing = RoundFact(())
    for name in sorted(names, key=lambda name: KINDS.index(name.kind)):
        one, other = want.get(name), got.get(name)
        if name.kind in SUITS and (one is None or other is None or _same_suits(one, other)):
            continue
        if one is None or other is None or one.value != other.value:
            yield _difference(number, name, one or nothing, other or nothing)


def _difference(number: int, name: FactName, one: RoundFact, other: RoundFact) -> RoundDifference:
    at = 0
    if isinstance(one.value, tuple) and isinstance(other.value, tuple):
        pairs = enumerate(zip_longest(one.value, other.value))
        at = next((at for at, (left, right) in pairs if left != right), 0)
    found = _at(other, at) or _at(one, at)
    line = None if found is None else found.line
    return RoundDifference(
        number,
        name,
        None if one.value == () else one.value,
        None if other.value == () else other.value,
        None if line is None else line.number,
        None if line is None else line.t,
        None if line is None or line.by is None else str(line.by),
    )


def _at(fact: RoundFact, at: int) -> RoundLine | None:
    return fact.lines[at] if at < len(fact.lines) else None


class OtherPlay(NamedTuple):
    """Replacements for a replay: a rule file or house, "" for the file's own; options by name."""

    rules: str = ""
    profile: str = ""
    options: Mapping[str, object] = {}

    def of(self, file: ReadFile) -> ReadFile:
        """The file as it is played then. Raises `ConfigError` for an unknown house, option or value."""
        other = with_rule_file(file, self.rules) if self.rules else file
        other = with_profile(other, self.profile) if self.profile else other
        if not self.options:
            return other
        own = other.house.options._asdict()
        # An option that is None cannot stand in a header.
        given = {name: own[name] for name in own if own[name] is not None} | dict(self.options)
        options = parse_table_options(given)
        return other.again()._replace(house=replace(other.house, options=options))


def parse_options(words: Sequence[str]) -> dict[str, object]:
    """Options as they are typed: `name=value`, the value as JSON, else as a word.

    Raises `ConfigError` OPTION_BAD.
    """
    found: dict[str, object] = {}
    for one in words:
        name, equals, value = one.partition("=")
        if not (name and equals):
            raise ConfigError("OPTION_BAD", option=one)
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


class RoundsCompared(NamedTuple):
    """The differences in two versions of rounds, with the numbers of compared and secret rounds.

    `behind` of them stand behind a round that never ended (`with_rounds_behind`).
    """

    differences: tuple[RoundDifference, ...]
    rounds: int
    left_out: int = 0
    behind: int = 0


def compare_under(
    file: ReadFile, rounds: Sequence[PlayedRound], other: ReadFile, *, at_table: bool
) -> RoundsCompared:
    """Compare the `rounds` of `file` with themselves under the rules, options and profile of `other`.

    A round with a card that was never turned is left out: other rules could open that card, and the payout
    would reveal it.
    """
    open_rounds = [one for one in rounds if not is_secret(one.state)]
    would = rounds_under(file, open_rounds, other, at_table=at_table)
    # A round's result depends on more than its lines, so both rounds are decided again.
    again = at_table or file.history is not None
    was = rounds_under(file, open_rounds, file, at_table=at_table) if again else open_rounds
    differences = tuple(diff_rounds(was, would))
    return RoundsCompared(differences, len(open_rounds), len(rounds) - len(open_rounds))


def rounds_under(
    file: ReadFile, rounds: Sequence[PlayedRound], other: ReadFile, *, at_table: bool
) -> list[PlayedRound]:
    """Return each of the `rounds` of `file` under the rules, options and profile of `other`.

    Each round is played alone: a round that cannot be settled under the other rules would take in all later
    lines.
    """
    return [_round_under(file, played, other, at_table=at_table) for played in rounds]


def _round_under(file: ReadFile, played: PlayedRound, other: ReadFile, *, at_table: bool) -> PlayedRound:
    own = {recorded.line.number: recorded.line for recorded in (*played.lines, *played.later)}
    # In order of arrival, once each, with later rulings on the round.
    lines = tuple(line for _, line in sorted(own.items()))
    script = other.again()._replace(lines=lines, door=lines)
    before = _table_before(file, played, other, at_table=at_table)
    again = played_rounds(script, at_table=at_table, before=before, way=rejoined)
    # Lines that clear the table may begin the next round; without one of its own lines there is no round.
    found = next((one for one in again if one.number == played.number), None)
    return found or PlayedRound(played.number, before, before)


def _table_before(file: ReadFile, played: PlayedRound, other: ReadFile, *, at_table: bool) -> TableState:
    """The table before the round by the other rules, with the limits that had come until then."""
    was, rules = door_rules(file, at_table=at_table), door_rules(other, at_table=at_table)
    before = played.before
    watch = before.watch is not None
    if before == new_table(was, watch=watch):
        return new_table(rules, watch=watch)
    pairs = before.book.rules._asdict().items()
    limits = {
        field: value for field, value in pairs if field.startswith("stake_") and value != getattr(was, field)
    }
    return replace(before, book=replace(before.book, rules=rules._replace(**limits)))
