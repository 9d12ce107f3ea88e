"""What a shift has without any fault: reads that are less sure than others, stakes that vary, cards ruled."""

from collections.abc import Iterator
from random import Random
from typing import Final

from tests.planted_faults.plants import Line, Shift

SURE: Final = 0.9999
UNSURE_OF: Final = 200
"""One read of so many is right and yet less sure than the reader's own limit of a certain card."""

UNREAD_ROUNDS: Final = 60
"""In one round of so many a card could not be read, and the pit said at once what it is."""

STAKES: Final = (1000, 1000, 1000, 2000, 2000, 3000, 4000)


def with_ordinary_events(shift: Shift, seed: int, spared: int) -> Shift:
    """The same shift as a table tells it; in round `spared`, counted from 0, no card is ruled on.

    Cards, decisions and who wins stay as they were.
    """
    random = Random(seed)
    unread = set(range(UNREAD_ROUNDS // 2, len(shift.rounds), UNREAD_ROUNDS)) - {spared}
    lines: list[Line] = []
    spans: list[range] = []
    for number, span in enumerate(shift.rounds):
        begun = len(lines)
        lines += _told((shift.lines[at] for at in span), random, ruled=number in unread)
        spans.append(range(begun, len(lines)))
    return Shift(shift.header, lines, spans)


def _told(lines: Iterator[Line], random: Random, *, ruled: bool) -> Iterator[Line]:
    cards = 0
    for line in lines:
        if line["obs"] == "bet":
            yield {**line, "stake": random.choice(STAKES)}
            continue
        if line["obs"] != "card":
            yield line
            continue
        cards += 1
        if ruled and cards == 2:
            yield {**line, "rank": None, "suit": None}
            yield _corrected(line, cards)
        else:
            yield {**line, "p": _certainty(random)}


def _corrected(line: Line, number: int) -> Line:
    named = {"card": number, "rank": line["rank"], "suit": line["suit"]}
    return {"t": line["t"], "obs": "correct", "by": "pit:P1", "reason": "seen on the felt", **named}


def _certainty(random: Random) -> float:
    """Sure as a rule; else anything from 0.95 to 0.999, evenly by how often such a read is wrong."""
    if random.randrange(UNSURE_OF):
        return SURE
    return float(1 - 10 ** -random.uniform(1.3, 3))
