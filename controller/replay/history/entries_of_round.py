"""One round in a journal: its first and last entry, the table before it, and its feed."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Final, NamedTuple

from controller.domain import ConfigError
from controller.feed.codec import parse
from controller.feed.feed_lines import FeedHeader, FeedLine
from controller.feed.replay import Json, left_open, round_json
from controller.journal.entry import Entry, body_of
from controller.replay.history.checkpoint import RoundCheckpoint, between_rounds, checkpoint_of, shoe_of
from controller.replay.history.feed_export import FIRST_LINE, carried, feed_object_of, header_of
from controller.replay.history.history import signed
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.restore import follow


class RecordedRound(NamedTuple):
    """A round's entries, the table before them, and the ledger after the last.

    They begin with the round `first`. `ruled_on` is the earliest round that was ruled on meanwhile; where
    that lies before `first`, those rulings are left out.
    """

    number: int
    start: RoundCheckpoint
    entries: tuple[Entry, ...]
    after: Ledger
    first: int
    ruled_on: int


def find_round(entries: Sequence[Entry], number: int, first: int | None = None) -> RecordedRound:
    """Find a round, with the rounds from `first` on. Raises `ConfigError` ROUND_NOT_FOUND with the last.

    It begins with the first act or card, and ends with the cleared table and its effects; later rulings on it
    belong to the round in which they were made.
    """
    first = ruled_on = first or number
    before: Ledger | None = None
    mine: list[Entry] = []
    left: set[int] = set()
    ledger = open_ledger(entries[0])
    for entry in entries[1:]:
        after = follow(ledger, entry)
        if before is None and after.state.book.number == first and _act(entry) not in _OUTSIDE:
            before = ledger._replace(run=replace(ledger.run, state=between_rounds(ledger.state)))
        if before is not None and after.state.book.number > number and not _clears(entry, mine):
            break
        if before is not None:
            kept = _of_round(entry, first, left)
            mine.extend(kept)
            if not kept:
                obs = feed_object_of(entry.kind, body_of(entry)) or {}
                ruled_on = min(ruled_on, obs.get("round") or first)
        ledger = after
    if before is None:
        raise ConfigError("ROUND_NOT_FOUND", round=number, last=ledger.state.book.number)
    return RecordedRound(number, checkpoint_of(before), tuple(mine), ledger, first, ruled_on)


def entries_of(entries: Iterable[Entry], number: int) -> list[Entry]:
    """Return the entries of a round's span without those about earlier rounds, as `find_round` does."""
    left: set[int] = set()
    return [one for entry in entries for one in _of_round(entry, number, left)]


def _of_round(entry: Entry, number: int, left: set[int]) -> tuple[Entry, ...]:
    """The entry, where it is of this round; else it is noted in `left`."""
    if not _books_earlier(entry, number) and not _rules_earlier(entry, number, left):
        return (entry,)
    left.add(entry.seq)
    return ()


_OUTSIDE: Final = frozenset({None, "device", "end"})
"""What begins no round: whatever is no fact, what devices say of themselves, the end of the round before."""


def _act(entry: Entry) -> object:
    return body_of(entry).get("obs") if entry.kind == "fact" else None


def _books_earlier(entry: Entry, first: int) -> bool:
    """Whether an entry books an unconfirmed payout of an earlier round, after a bet in this one."""
    body = body_of(entry) if entry.kind == "payout" else {}
    return body.get("how") == "computed" and body["round"] < first


def _rules_earlier(entry: Entry, first: int, left: Set[int]) -> bool:
    """Whether an entry rules on an earlier round, which the cut lacks, or follows from such a ruling."""
    if entry.caused_by in left:
        return True
    fields = feed_object_of(entry.kind, body_of(entry))
    return fields is not None and _is_earlier(fields, first)


def _clears(entry: Entry, mine: Sequence[Entry]) -> bool:
    """Whether an entry clears the table, or follows from an entry that does."""
    if _act(entry) == "end":
        return not mine or _act(mine[-1]) != "end"
    return entry.caused_by is not None and any(
        one.seq == entry.caused_by and _act(one) == "end" for one in mine
    )


def round_feed(found: RecordedRound) -> tuple[FeedHeader, list[FeedLine], list[Json]]:
    """Return the round as a feed of its own, whose first round is round 1, with its expectation.

    The shoe's earlier cards are burned at the beginning, so that the count is right.
    """
    start = found.start
    began_us = found.entries[0].at_utc_us
    setting_up = carried(
        shoe_of(start), start.chips, start.bank, shuffle_due=start.shuffle_due, dealer=start.dealer
    )
    lines = [FeedLine(number, 0.0, obs) for number, obs in enumerate(setting_up, start=FIRST_LINE)]
    for entry in found.entries:
        obs = feed_object_of(entry.kind, body_of(entry))
        if obs is None or _is_earlier(obs, found.first):
            continue
        within = (obs.get("round") or 0) - found.first + 1
        t = max(lines[-1].t if lines else 0.0, (entry.at_utc_us - began_us) / 1e6)
        line = FeedLine(FIRST_LINE + len(lines), t, parse({**obs, "round": within if within > 0 else None}))
        lines.append(signed(line, entry.actor))
    header = header_of(found.after.opening, start.rules, began_us)
    return header, lines, _expected(found)


def _is_earlier(obs: Json, first: int) -> bool:
    """Whether an act rules on a round before the first, which this feed lacks."""
    return (obs.get("round") or first) < first


def _expected(found: RecordedRound) -> list[Json]:
    results = {body["round"]: body for body in map(body_of, _settled(found)) if body["round"] >= found.first}
    left = left_open(found.after.state)
    if left is not None and left.result.round == found.number:
        results[found.number] = round_json(left.result)
    return [{**results[number], "round": number - found.first + 1} for number in sorted(results)]


def _settled(found: RecordedRound) -> Iterator[Entry]:
    return (entry for entry in found.entries if entry.kind == "settled")
