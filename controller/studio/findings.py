"""The places to check first in a file without its truth: holds, rulings, unclear and unlikely lines."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from operator import attrgetter
from typing import Any, Final, NamedTuple, get_type_hints

from controller.acts.catalogue import (
    RULINGS,
    CardSeen,
    DeviceSeen,
    ShoeLoaded,
)
from controller.domain import Adjusted, Money, Refused, RuleSet
from controller.engine.settle import DISPUTED, in_progress, is_final
from controller.engine.state import TableState
from controller.feed.codec import to_json
from controller.feed.feed_table import TableStep
from controller.feed.replay import PlayedNotice
from controller.policy.holds import TOO_MANY, names_unturned
from controller.policy.holds import UNREAD as UNREAD_CODE
from controller.policy.run import Held, Inferred
from controller.replay.difference import complaint_of
from controller.replay.played import OF_A_SHOE, SHOE_CAUSES, FileFindings, FindingCode, PlayedRound
from controller.replay.table_file import Overrides
from controller.runtime.redaction import PLAIN, hide_cards, names_witnessed
from controller.screens.sentences import sentence_of_fact
from controller.screens.words import Money as MoneyView
from controller.screens.words import Word, Words, described, money, say
from controller.studio.bodies import Finding


class StudioStep(NamedTuple):
    """A step; `secret`: the face-down card of its round was never turned, `over`: the round was paid."""

    taken: TableStep
    round: int
    secret: bool
    over: bool = True

    @property
    def notices(self) -> tuple[PlayedNotice, ...]:
        """The effects of the line, and of the lines that it released."""
        return tuple(notice for played in self.taken.played for notice in played.notices)

    @property
    def state(self) -> TableState:
        """The table after the line."""
        return self.taken.after


def fields_of(step: StudioStep, *, hides: bool) -> dict[str, Any]:
    """The fields of the line as it stands; while a card lies face down, no card's rank or suit."""
    obs = step.taken.line.obs
    fields = dict(to_json(obs))
    if not hides:
        return fields
    fields = dict(hide_cards("fact", fields))
    found = {"rank", "suit", "id", "p"} if isinstance(obs, CardSeen) else set()
    return {field: value for field, value in fields.items() if field not in found}


def words_of_line(step: StudioStep, *, hides: bool) -> Words | None:
    """Return the sentence of the line; None without one."""
    return sentence_of_fact(str(step.taken.line.by or ""), fields_of(step, hides=hides))


RULES: Final[dict[str, Any]] = get_type_hints(RuleSet)


def _rule_value(name: str, value: object) -> str | MoneyView | Word:
    """Return the value of a rule for a text."""
    match value:
        case bool() | str() | None:
            return Word(word=f"field_is.{value if isinstance(value, str) else json.dumps(value)}")
        case int():
            return money(value) if RULES[name] is Money else str(value)
        case tuple():
            return ":".join(map(str, value))
        case _:
            raise TypeError(value)


class OpenRound(NamedTuple):
    """A round that is not over: its first step (0 without one), and its number of lines.

    `stuck`: disputed, or held, or with more lines than any finished round: it contains lines of later rounds.
    Any other was being dealt when the file ended. `follows`: it waits for the same as the round before it.
    """

    number: int
    at: int
    lines: int
    stuck: bool
    follows: bool = False


def open_rounds(
    rounds: Sequence[PlayedRound], over: Set[int], steps: Sequence[StudioStep]
) -> tuple[OpenRound, ...]:
    """The rounds of a file that are not among those `over`."""
    longest = max((len(one.lines) for one in rounds if one.number in over), default=0)
    held = {step.round for step in steps[-1:] if step.taken.holds}
    left = {one.number: one for one in rounds if one.number not in over}
    return tuple(
        OpenRound(
            one.number,
            next((at for at, step in enumerate(steps) if step.round == one.number), 0),
            len(one.lines),
            stuck=len(one.lines) > longest
            or one.number in held
            or (one.result is not None and one.result.status == DISPUTED),
            follows=_waits_for(one) is not None and _waits_for(one) == _waits_for(left.get(one.number - 1)),
        )
        for one in left.values()
    )


def _waits_for(one: PlayedRound | None) -> str | None:
    """Return the fault that keeps a round from its end; None without one."""
    return None if one is None else one.state.settlement.code


def _shoes_of(stuck: Iterable[OpenRound], steps: Sequence[StudioStep]) -> list[range]:
    """The steps of each shoe that a stuck round was dealt from, up to that round.

    A card that was read as another one leads there: one of its kind is one too many before the shoe is out.
    """
    fresh = [at for at, step in enumerate(steps) if isinstance(step.taken.line.obs, ShoeLoaded)]
    return [range(max((at for at in fresh if at <= one.at), default=0), one.at + 1) for one in stuck]


WEIGHTS: Final = {"dispute": 6, "hold": 5, "alert": 4, "refused": 4}
RULING: Final = 1
UNREAD: Final = 1
"""A card that could not be read, and what was ruled, somebody has looked at already: the rest comes first."""

INFERRED: Final = 0
"""A shift has hundreds: the last stand of a round is seldom entered. They come after everything else."""

_NOT_OVER: Final = 10
"""A round that the rest of the file has run into: something in it, or before, went in wrongly or never."""

_UNSURE_BEFORE: Final = 9
"""One of the least certain reads of the shoe that such a round was dealt from."""

_OTHER_RULES: Final = 11
"""A rule that is not the house's: whatever differs from what people expect may follow from it."""

_OF_A_TABLE: Final = frozenset(("stake_min", "stake_max", "stake_step", "boxes", "back_bets", "box_max"))
"""Fields in which tables of one house differ as a rule."""

_ADJUSTED: Final = 4
"""Money that a ruling has moved; those that moved most come first."""

_FOLLOWS: Final = 1
"""A consequence: the place to look at is its cause, which stands before it."""

UNSURE: Final = 3
_UNSURE_MOST: Final = 20
"""So many of the least certain reads of a file are named: the next ones are as sure as most."""

_NOTICED: Final[Mapping[FindingCode, int]] = {
    "CLOCK_STEP": 5,
    "ROUND_REPEATED": 5,
    "TWO_DEALERS": 4,
    "STAKE_UNLIKE": 3,
}
"""A stake unlike its bettor's others may be meant: whatever was refused comes before it."""

_UNSURE_BELOW: Final = 0.999
"""A read from here on is not named, however few there are below: the reader's own limit of a certain card."""


NO_OVERRIDES: Final[Overrides] = {}


class _Found(NamedTuple):
    """A finding, and how likely it is that nothing is wrong there, from 0 to 1: the least likely first."""

    finding: Finding
    likely: float = 1.0


def findings_of(
    steps: Sequence[StudioStep], open_rounds: Iterable[OpenRound] = (), overrides: Overrides = NO_OVERRIDES
) -> list[Finding]:
    """Return the findings, in a round in order of time; the round with the heaviest finding first.

    Before them come rules that differ from the house's; then each round that never ended, with its findings;
    then the least certain readings of the shoe before those.

    Among rounds with equally heavy findings, the larger sum of weights comes first, then the least likely
    read or stake. A finding repeated in the same words is listed once: a hold refuses every later line.
    Findings without weight come last.
    """
    left = list(open_rounds) if steps else []
    shoes = _shoes_of((one for one in left if one.stuck), steps)
    played = [_Found(finding) for finding in _played(steps)]
    unlikely = (*_adjusted(steps), *_unsure(steps, shoes), *_noticed(steps))
    rules = _other_rules(steps, overrides) if steps else ()
    found = _once([*rules, *(_Found(_not_over(one)) for one in left), *played, *unlikely])
    most: dict[int, int] = {}
    heavy: dict[int, int] = {}
    likely: dict[int, float] = {}
    for finding, chance in found:
        most[finding.round] = max(most.get(finding.round, 0), finding.weight)
        heavy[finding.round] = heavy.get(finding.round, 0) + finding.weight
        likely[finding.round] = min(likely.get(finding.round, 1.0), chance)
    causes = {one.number for one in left if one.stuck and not one.follows}
    return sorted(
        [finding for finding, _ in found],
        key=lambda one: (
            *_before_others(one, causes),
            -most[one.round],
            -heavy[one.round],
            likely[one.round],
            one.round,
            one.weight != _NOT_OVER,
            one.step,
        ),
    )


def _before_others(one: Finding, causes: Set[int]) -> tuple[int, int]:
    """Return the order key: rules, then causes of unfinished rounds, the earliest first; weightless last."""
    if one.weight >= _UNSURE_BEFORE or (one.round in causes and one.weight > UNSURE):
        early = {_OTHER_RULES: 0, _UNSURE_BEFORE: 2}.get(one.weight, 1)
        return early, one.round if early == 1 else 0
    return (3 if one.weight else 4), 0


def _once(found: Iterable[_Found]) -> list[_Found]:
    """Each finding of a round where it comes first."""
    first: dict[tuple[int, str], _Found] = {}
    for one in found:
        first.setdefault((one.finding.round, one.finding.text.model_dump_json()), one)
    return list(first.values())


def _not_over(left: OpenRound) -> Finding:
    words = say("studio.not_over", round=left.number, lines=left.lines)
    weight = _FOLLOWS if left.follows else _NOT_OVER if left.stuck else 0
    return Finding(step=left.at, round=left.number, weight=weight, text=words)


def _other_rules(steps: Sequence[StudioStep], overrides: Overrides) -> Iterator[_Found]:
    """Each field of the rules that is not the house's, at the first line."""
    for field, (says, has) in overrides.items():
        if field not in _OF_A_TABLE:
            words = say(
                "studio.override",
                field=Word(word=f"field.{field}"),
                says=_rule_value(field, says),
                house=_rule_value(field, has),
            )
            yield _Found(Finding(step=0, round=steps[0].round, weight=_OTHER_RULES, text=words))


def _adjusted(steps: Sequence[StudioStep]) -> Iterator[_Found]:
    """Money that a ruling has moved, at the ruling; the more it was the less likely it was a trifle."""
    for at, step in enumerate(steps):
        for notice in step.notices:
            for bet in notice.bets if isinstance(notice, Adjusted) else ():
                params = (("box", bet.box), ("seat", bet.seat), ("before", bet.returned_before))
                words = described("finding", "ADJUSTED", (*params, ("after", bet.returned_after)))
                likely = 1 / (1 + abs(bet.returned_after - bet.returned_before))
                yield _Found(Finding(step=at, round=step.round, weight=_ADJUSTED, text=words), likely)


def _noticed(steps: Sequence[StudioStep]) -> Iterator[_Found]:
    """Yield the findings without a report: a step of the clock, a stake unlike its bettor's."""
    findings, at_line = FileFindings(), {}
    for at, step in enumerate(steps):
        line, before = step.taken.line, step.taken.before
        at_line[id(line)] = at
        findings.take(
            line, step.round, in_round=in_progress(before) and not is_final(before.settlement.status)
        )
    for code, line, params, likely in ((one.code, one.line, one.params, one.likely) for one in findings):
        at = at_line[id(line)]
        text = described("finding", code, params)
        yield _Found(Finding(step=at, round=steps[at].round, weight=_NOTICED[code], text=text), likely)


def _unsure(steps: Sequence[StudioStep], shoes: Sequence[range]) -> Iterator[_Found]:
    """The least certain reads, none of a round that keeps a card back: how sure one was may tell it."""
    reads = [
        (step.taken.line.obs.p, at)
        for at, step in enumerate(steps)
        if isinstance(step.taken.line.obs, CardSeen) and step.taken.line.obs.p is not None and not step.secret
    ]
    for p, at in sorted(reads)[:_UNSURE_MOST]:
        if p < _UNSURE_BELOW:
            words = say("studio.unsure", percent=f"{p * 100:.2f}")
            weight = _UNSURE_BEFORE if any(at in shoe for shoe in shoes) else UNSURE
            yield _Found(Finding(step=at, round=steps[at].round, weight=weight, text=words), p)


def _played(steps: Sequence[StudioStep]) -> Iterator[Finding]:
    """Yield each step's findings; an alert about a shoe that is already wrong is a consequence."""
    known: dict[int, dict[str, int]] = {}
    for at, step in enumerate(steps):
        of_shoe = known.setdefault(step.state.shoe.number, {})
        for finding in _findings(at, step):
            code = finding.text.code.partition(".")[2]
            if code not in OF_A_SHOE:
                yield finding
                continue
            of_shoe.setdefault(code, at)
            causes = (code,) if code in SHOE_CAUSES else OF_A_SHOE
            first = min(of_shoe[cause] for cause in causes if cause in of_shoe)
            yield finding if first == at else finding.model_copy(update={"weight": _FOLLOWS})


def _findings(at: int, step: StudioStep) -> Iterator[Finding]:
    line, number, secret = step.taken.line, step.round, step.secret
    if isinstance(line.obs, RULINGS) and (ruled := words_of_line(step, hides=secret)) is not None:
        yield Finding(step=at, round=number, weight=RULING, text=ruled)
    # That the card that was never turned could not be read tells nothing of it.
    if isinstance(line.obs, CardSeen) and line.obs.rank is None:
        yield Finding(step=at, round=number, weight=UNREAD, text=say("studio.unread"))
    fields: dict[tuple[str, object], Finding] = {}
    if isinstance(line.obs, DeviceSeen) and line.obs.state == "lost":
        # By the rules alone it is only reported; at a table's door it may hold.
        lost = described("alert", "DEVICE_LOST", (("name", line.obs.name),))
        fields[lost.code, None] = Finding(step=at, round=number, weight=WEIGHTS["alert"], text=lost)
    for notice in step.notices:
        words = words_of(notice, step.state, secret=secret)
        if words is None:
            continue
        # An alert, the hold and the dispute that it makes are one thing, said at its heaviest.
        found = Finding(step=at, round=number, weight=_weight(notice), text=words)
        name = (words.code, words.params.get("box"))
        fields[name] = max(found, fields.get(name, found), key=attrgetter("weight"))
    yield from fields.values()


def _weight(notice: PlayedNotice) -> int:
    name = complaint_of(notice)
    if name is None:
        return INFERRED
    # The card itself shows it, and play waited until it was named.
    return UNREAD if name.code == UNREAD_CODE else WEIGHTS[name.kind]


def words_of(notice: PlayedNotice, state: TableState, *, secret: bool) -> Words | None:
    """Return a notice's sentence, without a card's name while `secret`; `state` is the table after it.

    None when nothing is wrong, and when a never turned card is counted.
    """
    if isinstance(notice, Inferred):
        return say("studio.inferred", what=Word(word=f"action.{notice.what}"), box=notice.box)
    name = complaint_of(notice)
    if name is None:
        return None
    raw = notice.hold.params if isinstance(notice, Held) else getattr(notice, "params", ())
    # It exists only because a never turned card of an earlier round is counted.
    counts = name.code in TOO_MANY and names_unturned(state, tuple(raw))
    if counts or (secret and names_witnessed(tuple(raw))):
        return None
    params = [(key, value) for key, value in raw if key in PLAIN or not secret]
    if isinstance(notice, Refused):
        return described("refused", name.code, params)
    return described("hold" if isinstance(notice, Held) else "alert", name.code, params)
