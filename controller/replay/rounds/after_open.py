"""The rounds behind a round that never ends, such as one with a lost card, at a table that continues.

The table itself would refuse every later line in the waiting round. For a comparison of two files the lines
are therefore played again from the beginning of the next round.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from controller.acts.catalogue import Bet, CardSeen, Close, End, Observation, ShoeLoaded
from controller.engine.settle import SETTLED, VOIDED
from controller.engine.state import TableState
from controller.engine.table import next_round
from controller.feed.feed_lines import FeedLine
from controller.replay.files.table_file import ReadFile
from controller.replay.rounds.played import PlayedRound, played_rounds

OVER: Final = (SETTLED, VOIDED)
BETWEEN: Final = (Bet, Close)
"""What is reported of a round before its first card."""
FIRST: Final = (Bet, ShoeLoaded)
"""What a round begins with, once the table was said to be cleared."""


def with_rounds_behind(
    file: ReadFile, rounds: Sequence[PlayedRound], *, at_table: bool
) -> tuple[PlayedRound, ...]:
    """Return the played rounds; an unfinished last round is followed by those that its lines contain.

    They are counted on, from the table before the open round: its shoe lacks the cards of that round. A next
    round begins with stakes after the cleared table, or with stakes and "no more bets" after a card.
    """
    kept = list(rounds)
    if file.history is not None:
        return tuple(kept)
    while kept:
        left = kept[-1]
        if left.result is not None and left.result.status in OVER:
            break
        own = left.fed
        begin = _next_round_at([line.obs for line in own])
        if begin is None:
            break
        alone = _played(file, own[:begin], left.before, at_table=at_table)
        behind = _played(file, own[begin:], _table_behind(left), at_table=at_table)
        kept[-1:] = [one for one in alone if one.number == left.number] + behind
    return tuple(kept)


def _played(
    file: ReadFile, lines: Sequence[FeedLine], before: TableState, *, at_table: bool
) -> list[PlayedRound]:
    script = file.again()._replace(lines=tuple(lines), door=tuple(lines))
    return played_rounds(script, at_table=at_table, before=before)


def _table_behind(left: PlayedRound) -> TableState:
    before = left.before
    table = next_round(before) if before.settlement.status in OVER else before
    return replace(table, book=replace(table.book, number=left.number + 1))


def _next_round_at(entered: Sequence[Observation]) -> int | None:
    """Return the index at which the next round begins, its fresh shoe included; None without one."""
    dealt = False
    for at, obs in enumerate(entered):
        if isinstance(obs, End) and isinstance(next(iter(entered[at + 1 :]), None), FIRST):
            return at + 1
        if isinstance(obs, Close):
            begin = _first_stake(entered, at)
            if dealt and begin < at:
                return _with_shoe(entered, begin)
        dealt = dealt or isinstance(obs, CardSeen)
    return None


def _first_stake(entered: Sequence[Observation], close: int) -> int:
    at = close
    while at > 0 and isinstance(entered[at - 1], BETWEEN):
        at -= 1
    return at


def _with_shoe(entered: Sequence[Observation], begin: int) -> int:
    """The fresh shoe and its burn cards, where they stand right before the stakes."""
    at = begin
    while at > 0 and isinstance(entered[at - 1], CardSeen):
        at -= 1
    return at - 1 if at > 0 and isinstance(entered[at - 1], ShoeLoaded) else begin
