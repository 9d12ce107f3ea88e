"""Journal entries as the lines of a feed: each line with its effects, and the cause of each entry.

Nothing is decided again. The live table's own fold gives the state of the table; the entries give its holds,
releases and alerts. So every command shows the same rounds, holds and money as the table did.

A feed for the plain replay contains the facts in the order of the engine. The lines of `replay --table` are
in the order of their arrival at the table's door: a card that waited stands where it came. A line that the
table could not take (the table cleared over an incomplete round, a card turned too early) stands at its hold.

A feed that begins in the middle of a day has the lines that set a fresh table up like it. Its times leave
out the steps of the machine's clock, which are no pauses of the table.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

from controller.acts.catalogue import (
    Bank,
    Bet,
    CardSeen,
    Chips,
    Correct,
    CutCard,
    DealerSeated,
    Decision,
    DeviceSeen,
    End,
    HoldsLifted,
    Observation,
    RestCard,
    Reveal,
    ShoeLoaded,
)
from controller.domain import Alert, Money, Notice, Rank, Refused, RuleSet, Suit, TableError
from controller.engine import TableState
from controller.engine.shoe import WEIGHTS
from controller.engine.state import Shoe
from controller.feed.codec import parse
from controller.feed.feed_lines import FeedHeader, FeedLine
from controller.feed.feed_table import TableStep
from controller.feed.replay import Json, Played, PlayedNotice, left_open, round_json
from controller.journal.entry import Body, Entry, NewEntry, body_of
from controller.people.sign_in import event_of
from controller.policy.desk import HOLDING
from controller.policy.line import person_named
from controller.policy.run import Held, Inferred, Released
from controller.ports import Report, Trouble
from controller.rules.loading import HOUSES, load_file
from controller.runtime.api import Action, AlertStep, BoxHandled, CallPit, Command, Observe, Resume, Role
from controller.runtime.carrying import KIND
from controller.runtime.decide import GUARD
from controller.runtime.draft import Folded, feed_object
from controller.runtime.ledger import Ledger, Opening, naming_of, params_of
from controller.runtime.restore import SYSTEM

PEOPLE: Final = ("dealer", "pit")
SECOND: Final = "pit"
"""Who signs with somebody is of the pit."""


def signed(line: FeedLine, actor: str) -> FeedLine:
    """The line of an entry by this actor, with who reported it and who signed with him."""
    return line._replace(by=by_of(actor, line.obs), second=_second_of(line.obs))


def by_of(actor: str, observation: Observation) -> str:
    """Return the `by` of a line: for a card the source that it names, else the entry's actor.

    A journal's actor is `role:name`. A device counts as a camera when only the layout can show its report,
    else as the shoe, as at the live door. The system reports that a device came or went.
    """
    named = observation.by if isinstance(observation, CardSeen) else None
    if named is not None and person_named(named) is not None:
        return named
    if isinstance(observation, DeviceSeen):
        return "system"
    role, _, name = actor.partition(":")
    if role in PEOPLE:
        return f"{role}:{name}" if name else role
    if role != "device":
        return "system"
    return f"camera:{name}" if name and _is_seen_on_felt(observation) else "shoe"


def _is_seen_on_felt(observation: Observation) -> bool:
    """Whether a camera over the layout has reported this: no shoe knows the place of its card."""
    if isinstance(observation, CardSeen):
        return observation.to is not None
    return isinstance(observation, Decision | Reveal | End | Correct)


def _second_of(observation: Observation) -> str | None:
    """The second person of a ruling, with the role that he signs in."""
    second: str | None = getattr(observation, "second", None)
    if second is None or person_named(second) is not None:
        return second
    return f"{SECOND}:{second}"


DEALER: Final = "dealer:replay"
"""Of a line that was no fact the journal does not say who reported it."""

CLEARED: Final = frozenset({"ROUND_INCOMPLETE", "DEALER_STOOD_ON_16"})
"""Holds that the table's clearing over an incomplete round begins."""


def _came_as(observation: Observation) -> Observation:
    """Return the report that led to this fact: a reader does not know of a count, and reports a card."""
    if isinstance(observation, RestCard) and not observation.out:
        return CardSeen(observation.rank, observation.suit)
    return observation


def _no_fact(kind: str, body: Body) -> Observation | None:
    """Return the report of an entry that is no fact; None for an entry without a report."""
    if kind == "waiting":
        return parse(body)
    if kind in ("refused", "ruled"):
        return parse(body["obs" if kind == "refused" else "ruling"])
    return _held_by(body) if kind == "held" and "about" in body else None


def _held_by(body: Body) -> Observation | None:
    """The line that the table was held over instead of taking it."""
    code, params = body["code"], body["params"]
    if code in CLEARED and not body["about"]["fault"]:
        return End()
    if code == "HOLE_CARD_EXPOSED" and params.get("turned"):
        return Reveal()
    if code == "STAKE_CHANGED":
        return Bet(params["box"], params["seat"], params["stake"])
    return None


HEADER: Final = 1
"""The line by which is named what the table noticed before any line came."""

NOTHING: Final = CardSeen(None)
"""Stands on that line, which tells nothing."""


class HistorySteps:
    """Gathers the steps of entries given in order."""

    def __init__(self, first: int | None) -> None:
        """Begin without steps; lines are numbered from `first`, None: as their entries are."""
        self._first = first
        self._steps: list[TableStep] = []
        self._waited: dict[int, FeedLine] = {}
        """The lines that had to wait, by their entries."""
        self._early: list[Played] = []

    @property
    def lines(self) -> tuple[FeedLine, ...]:
        """The lines as they came to the table's door."""
        return tuple(step.line for step in self._steps)

    @property
    def steps(self) -> tuple[TableStep, ...]:
        """The steps so far."""
        return tuple(self._steps)

    @property
    def played(self) -> Iterator[Played]:
        """Yield the effects, line by line; those before the first line come first."""
        if not self._steps:
            yield from self._early
        for step in self._steps:
            yield from step.played

    def take(
        self, before: Ledger, seq: int, entry: Entry | NewEntry, t: float, folded: Folded
    ) -> tuple[Played, ...]:
        """Add the entry `seq` at `t` seconds since the beginning; return its effects.

        `before` is the table before it. Raises `ConfigError` for an unreadable observation.
        """
        line = self._line_of(seq, entry, t, folded)
        if line is not None:
            early, self._early = (self._early, []) if not self._steps else ([], self._early)
            self._steps.append(TableStep(line, before.state, before.state, tuple(early), entry=seq))
        notices = tuple(_notices(before, seq, entry.kind, folded))
        played: tuple[Played, ...] = ()
        if line is not None or notices:
            named = line or self._waited.get(entry.caused_by or 0)
            if named is None:
                last = self._steps[-1].line if self._steps else FeedLine(HEADER, t, NOTHING)
                named = last._replace(t=t)
            # Of an effect that is no fact: the refused person, or the device that noticed it.
            by = "" if entry.kind == "fact" else entry.actor if line is None else str(line.by)
            played = (Played(named, notices, by),)
        if not self._steps:
            self._early += played
            return played
        last_step, after = self._steps[-1], folded.ledger
        self._steps[-1] = last_step._replace(
            after=after.state,
            played=(*last_step.played, *played),
            holds=after.holds,
            waiting=after.waiting_count,
        )
        return played

    def _line_of(self, seq: int, entry: Entry | NewEntry, t: float, folded: Folded) -> FeedLine | None:
        """Return the line that arrived with this entry; None without one."""
        if entry.kind not in ("waiting", "ruled") and entry.caused_by in self._waited:
            return None
        seen = folded.observation
        found = _came_as(seen) if seen is not None else _no_fact(entry.kind, folded.body)
        if found is None:
            return None
        number = seq if self._first is None else self._first + len(self._steps)
        line = signed(FeedLine(number, t, found), DEALER if entry.kind == "held" else entry.actor)
        if entry.kind == "waiting":
            self._waited[seq] = line
        return line


def _notices(before: Ledger, seq: int, kind: str, folded: Folded) -> Iterator[PlayedNotice]:
    """Yield the notices of the entry `seq`, as a replay prints them."""
    after, body = folded.ledger, folded.body
    match kind:
        case "fact":
            yield from (_as_held(before, notice) for notice in folded.notices)
        case "refused":
            yield Refused(body["code"], _params(body))
        case "trouble":
            yield Alert(body["code"], body["severity"], body["round"], _params(body))
        case "inferred":
            yield Inferred(seq, body["what"], body["box"], body["hand"])
        case "held":
            yield Held(seq, after.holds[-1])
            return
        case _:
            pass
    for hold in before.holds:
        if hold not in after.holds:
            yield Released(seq, hold, resumed=kind == "resumed")


def _as_held(before: Ledger, notice: Notice) -> Notice:
    """Return the engine's notice as the table reports it: an alert that holds the table is critical."""
    holds = before.opening.profiled and isinstance(notice, Alert) and notice.code in HOLDING
    return notice._replace(severity="critical") if holds and isinstance(notice, Alert) else notice


def _params(body: Body) -> tuple[tuple[str, int | str], ...]:
    return tuple(body.get("params", {}).items())


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
        self.history.take(before, entry.seq, entry, t, folded)
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


_FELT_KINDS: Final = frozenset({"fact", "refused", "waiting"})
SHOWN: Final = frozenset({"decision", "reveal", "end", "correct"})
"""What people tell, and a camera that deals concludes."""


def device_of(entry: Entry) -> str | None:
    """Name the device that said this, None for people and the system."""
    role, _, name = entry.actor.partition(":")
    return name if role == "device" else None


def command_of(entry: Entry, absent: tuple[str, ...] = ()) -> Command | None:
    """Return the command that led to a person's entry; None when no present command does.

    `absent` are the missing devices: the person resumed without them.
    """
    role, _, name = entry.actor.partition(":")
    if role == "device" or entry.actor in {SYSTEM, GUARD}:
        return None
    body = body_of(entry)
    action = _action(entry.kind, body)
    lifted = action.observation if isinstance(action, Observe) else None
    if isinstance(lifted, HoldsLifted) and lifted.codes is None and "command" not in body:
        # Written by a resume of every hold, before the entry that says so.
        action = Resume(absent)
    if action is None:
        return None
    # The state that the person saw is not recorded, and the command was accepted as timely.
    second = str(body["signed"][-1]) if "signed" in body else ""
    return Command(str(body.get("command", "")), name, cast(Role, role), None, action, second)


def _action(kind: str, body: Body) -> Action | None:
    obs = feed_object_of(kind, body)
    if obs is not None:
        return Observe(parse(obs))
    match kind:
        case "ruled":
            return Observe(parse(body["ruling"]))
        case "held" if body["code"] == "FROZEN":
            return CallPit(body["params"]["note"])
        case "resumed":
            return Resume(tuple(body["without"]))
        case "handled":
            return BoxHandled(body["round"], body["box"])
        case "named":
            return naming_of(body)
        case "alert_step":
            return AlertStep(body["alert"], body["step"], body["note"])
        case _:
            return event_of(kind, body)


def is_visible(entry: Entry) -> bool:
    """Whether a camera over the layout has reported this: a card with its place, or a change of the layout.

    No single report of a device leads to it: it is derived from the layout over time. A card with a place is
    a camera's, since a shoe does not know the place of its card and no driver reports one.
    """
    obs = body_of(entry).get("obs") if entry.kind in _FELT_KINDS else None
    if isinstance(obs, dict):
        return obs.get("obs") in SHOWN
    return obs in SHOWN or (obs == "card" and "to" in body_of(entry))


def report_of(entry: Entry, name: str) -> Report | None:
    """Give a report that leads to a device's entry; None for a kind that no report makes."""
    body = body_of(entry)
    if entry.kind == "trouble":
        trouble = Trouble(body["code"], params_of(body), hold=body["severity"] == "critical")
        return Report(name, 0, (), (trouble,))
    if entry.kind == "held":
        return Report(name, 0, (), (Trouble(body["code"], params_of(body)),))
    obs = body if entry.kind == "waiting" else feed_object_of(entry.kind, body)
    return None if obs is None else Report(name, 0, (parse(obs),))


class CardIdMap:
    """Maps the ids of a replayed shoe's cards to the recorded ids.

    A shoe's driver counts the cards of its run, and each id contains the run's random name.
    """

    def __init__(self) -> None:
        """Know nothing until the first recorded card."""
        self._run: tuple[str, int] | None = None

    @property
    def known(self) -> bool:
        """Whether a recorded card has been matched with a replayed one."""
        return self._run is not None

    def learn(self, entry: Entry, report: Report) -> None:
        """Take the run's name and count from the first card that has both a recorded and a made id."""
        if self._run is not None:
            return
        try:
            recorded = str((feed_object_of(entry.kind, body_of(entry)) or body_of(entry)).get("id") or "")
        except TableError:
            return
        made = next((seen.id for seen in report.observations if isinstance(seen, CardSeen) and seen.id), "")
        run, _, number = recorded.rpartition(".")
        count = made.rpartition(".")[2]
        if run and number.isdigit() and count.isdigit():
            self._run = (run, int(number) - int(count))

    def translated(self, report: Report) -> Report:
        """Give the report with the recorded run's ids."""
        if self._run is None:
            return report
        run, ahead = self._run
        return report._replace(
            observations=tuple(
                seen._replace(id=f"{run}.{int(seen.id.rpartition('.')[2]) + ahead}")
                if isinstance(seen, CardSeen) and seen.id
                else seen
                for seen in report.observations
            )
        )
