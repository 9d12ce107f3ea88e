"""The cards of one round as two witnesses have them, beside each other in the order in which they came."""

from difflib import SequenceMatcher
from typing import Final, NamedTuple

from controller.replay.rounds.compared_facts import FactKind, RoundFact

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


def order_of(expected: RoundFact, actual: RoundFact) -> CardOrder | None:
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
