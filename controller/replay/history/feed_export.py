"""Journal entries as a feed: a header, a line for each fact and refusal, the rounds that must come out.

A feed that begins in the middle of a day has the lines that set a fresh table up like it. Its times leave
out the steps of the machine's clock, which are no pauses of the table.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from controller.acts.catalogue import Bank, CardSeen, Chips, CutCard, DealerSeated, Observation, ShoeLoaded
from controller.domain import Money, Rank, RuleSet, Suit
from controller.engine import TableState
from controller.engine.shoe import WEIGHTS
from controller.engine.state import Shoe
from controller.feed.codec import parse
from controller.feed.feed_lines import FeedHeader, FeedLine
from controller.feed.replay import Json, left_open, round_json
from controller.journal.entry import Body, Entry
from controller.replay.history.history import HistoryEntry, HistorySteps, signed
from controller.rules.loading import HOUSES, load_file
from controller.runtime.carrying import KIND
from controller.runtime.draft import Folded, feed_object
from controller.runtime.ledger import Ledger, Opening


def carried(
    shoe: Shoe, chips: tuple[tuple[int, Money], ...], bank: int, *, shuffle_due: bool, dealer: str = ""
) -> Iterator[Observation]:
    """Yield the lines that set a table up: the shoe with its dealt cards burned, chips, bank.

    `dealer` is the present dealer, "" when unknown.
    """
    if shoe.seen or shoe.burn_due:
        yield ShoeLoaded(shoe.decks, None if shoe.size == shoe.decks * 52 else shoe.size)
        yield from (CardSeen(rank, suit, to="burn") for rank, suit in _seen(shoe))
    if shoe.cut or shuffle_due:
        yield CutCard()
    yield from (Chips(box, amount) for box, amount in chips)
    if bank:
        yield Bank(bank)
    if dealer:
        yield DealerSeated(dealer, "in")


def _seen(shoe: Shoe) -> Iterator[tuple[Rank | None, Suit | None]]:
    """Name the cards that the shoe has given, as far as they are known."""
    known = 0
    for rank, weight in WEIGHTS.items():
        of_rank = (shoe.ranks >> weight.shift) & 255
        known += of_rank
        for suit, (_, shift) in weight.suits.items():
            of_suit = (shoe.suits >> shift) & 255
            of_rank -= of_suit
            yield from [(rank, suit)] * of_suit
        yield from [(rank, None)] * of_rank
    yield from [(None, None)] * (shoe.seen - known)


class SteadyTime:
    """Times of entries given in order: where the clock stepped back, time goes on from where it stood."""

    def __init__(self) -> None:
        """Begin before the first entry."""
        self._last_us: int | None = None
        self._back_us = 0

    def at(self, utc_us: int) -> int:
        """The time of the next entry, in microseconds; never before that of the last one.

        All that comes after a step keeps its distances: were it held at the last time until the clock has
        caught up, cards would seem to come at once, and a table's door asks about cards that do.
        """
        now_us = utc_us + self._back_us
        if self._last_us is not None and now_us < self._last_us:
            self._back_us += self._last_us - now_us
            now_us = self._last_us
        self._last_us = now_us
        return now_us


_YEAR_2200_S: Final = 7_258_118_400

FIRST_LINE: Final = 2
"""The header is line 1 of a feed."""


def header_of(opening: Opening, rules: RuleSet, started_utc_us: int) -> FeedHeader:
    """Write the header of a feed that begins under these rules, at the table that was opened so.

    Every field is written out: a feed lives longer than the house's present rule file. They are the rules as
    dealt (`runtime.ledger.dealt_rules`): plain `replay` knows no options of a table. So is the profile of a
    house that is not shipped, or was shipped otherwise.
    """
    profile = opening.house.profile
    is_shipped = rules.name in HOUSES and (
        not opening.profiled or profile == load_file(rules.name, Path()).irregularities
    )
    irregularities = {code: {**ruling._asdict(), "ways": [*ruling.ways]} for code, ruling in profile.items()}
    fields = {key: value for key, value in rules._asdict().items() if key != "name"}
    fields["blackjack_pays"] = list(rules.blackjack_pays)
    options = opening.house.options._asdict() if opening.profiled else None
    if options is not None and options["payouts"] is None:
        del options["payouts"]
    return FeedHeader(
        opening.table,
        rules.name,
        fields,
        opening.currency,
        started_at(started_utc_us),
        options,
        None if is_shipped else irregularities,
    )


def started_at(utc_us: int) -> str:
    """Return the beginning of a feed for its header, to the millisecond; 1970 to 2200."""
    seconds = min(max(utc_us / 1e6, 0), _YEAR_2200_S)
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def feed_object_of(kind: str, body: Body) -> Json | None:
    """Return the feed object of an entry; None for an entry without a line in a feed."""
    if kind == "fact":
        return feed_object(body)
    return dict(body["obs"]) if kind == "refused" else None


class FeedExport:
    """Gathers the feed of a journal's entries, given in order, and the last result of each round."""

    def __init__(self, started_utc_us: int) -> None:
        """Begin a feed whose header has `started_utc_us`."""
        self._started_utc_us = started_utc_us
        self._rounds: dict[int, Json] = {}
        self._time = SteadyTime()
        self._time.at(started_utc_us)
        self.carried: list[FeedLine] = []
        """Lines that set a fresh table up as the day before has left it, for the beginning of the file."""
        self.lines: Final[list[FeedLine]] = []
        """The lines so far, as the rules took them."""
        self.history: Final = HistorySteps(FIRST_LINE)
        """The lines as they came to the table's door, each with what followed from it."""

    def take(self, before: Ledger, entry: Entry, folded: Folded) -> None:
        """Add an entry; `before` is the table before it. Raises `ConfigError` as `parse`."""
        if entry.kind == "settled":
            self._rounds[folded.body["round"]] = folded.body
        if entry.kind == KIND:
            self.carried = list(_set_up(folded.ledger))
        t = (self._time.at(entry.at_utc_us) - self._started_utc_us) / 1e6
        placed = HistoryEntry(entry.seq, entry.kind, entry.actor, entry.caused_by, t)
        self.history.take(before, placed, folded)
        fields = feed_object_of(entry.kind, folded.body)
        if fields is not None:
            line = FeedLine(FIRST_LINE + len(self.lines), t, folded.observation or parse(fields))
            self.lines.append(signed(line, entry.actor))

    def expected(self, state: TableState) -> list[Json]:
        """Give the rounds that a replay must end with; `state` is the table after the last entry."""
        left = left_open(state)
        if left is not None:
            self._rounds[left.result.round] = json.loads(json.dumps(round_json(left.result)))
        return [self._rounds[number] for number in sorted(self._rounds)]


def _set_up(ledger: Ledger) -> Iterator[FeedLine]:
    """Yield the lines for the shoe, the chips and the dealer that a new day takes over."""
    state = ledger.state
    told = carried(
        state.shoe,
        state.book.chips,
        state.book.bank,
        shuffle_due=state.book.shuffle_due,
        dealer=ledger.dealer,
    )
    return (FeedLine(FIRST_LINE + nth, 0.0, obs) for nth, obs in enumerate(told))
