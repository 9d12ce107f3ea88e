"""What a shift's report says to people: figures, money from float to float, play, what people did, stops.

In the language of the reader and in the words of the screens: no code, no seconds since a file began.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Final, NamedTuple, get_args

from controller.i18n import HOLE, PLURAL, catalogue, numbers, text
from controller.replay.rounds.in_shadow import WasRight
from controller.replay.rounds.report_parts import ReportHold, ReportRuling, ReportWithHeads, ShiftReport

Rows = tuple[tuple[str, ...], ...]

EXPLAINED_MAX: Final = 10
"""So many explanations are written, the likeliest ones; the JSON has all."""

_HOLES: Final = re.compile(r"\s*[(:]?\s*\{\w+\}[^\s.]*")


class Section(NamedTuple):
    """A heading and its rows; `strong` are the rows in bold, `widths` the columns' shares."""

    title: str
    rows: Rows
    widths: tuple[int, ...]
    strong: frozenset[int] = frozenset()


class Words(NamedTuple):
    """Texts, amounts and times as a reader of one language writes them; `start` is when the file began."""

    language: str
    start: datetime

    def say(self, key: str, **params: str | int) -> str:
        """The text of a key."""
        return text(key, params, self.language)

    def money(self, minor: int, sign: bool = False) -> str:
        """Minor units as `1,204.50`; a plus only where it moved."""
        return numbers.money(minor, self.language, signed=sign)

    def at(self, t: float) -> str:
        """Hours and minutes at the table of seconds since the start."""
        return numbers.clock(self.start + timedelta(seconds=t), self.language)

    def name(self, code: str) -> str:
        """The name of a stop, or the sentence of a notice without what it was about."""
        known = catalogue(self.language)
        if f"fault_name.{code}" in known:
            return known[f"fault_name.{code}"]
        sentence = known.get(f"alert.{code}", known["fault_name.other"]).partition(". ")[0]
        return HOLE.sub("", _HOLES.sub("", PLURAL.sub("", sentence))).rstrip(".")


def words_for(report: ShiftReport, language: str) -> Words:
    """How the report is written in a language, at the place where it is printed."""
    return Words(language, datetime.fromisoformat(report.started_at).astimezone())


def head(report: ShiftReport, words: Words) -> tuple[str, str, str]:
    """Whose report it is, of when, by which rules and people."""
    begun = f"{numbers.day(words.start, words.language)}, {words.at(report.from_t)} - {words.at(report.to_t)}"
    stand = f"{report.rules} · {', '.join(report.people)}"
    return f"{words.say('shift_report.title')} {report.table}", begun, stand


def proof(signed: ReportWithHeads, words: Words) -> Rows:
    """What it can be checked by."""
    return (
        (words.say("shift_report.head"), f"{signed.head.seq} {signed.head.hash}"),
        (words.say("shift_report.software"), signed.software),
        (words.say("shift_report.key"), signed.key or words.say("shift_report.unsigned")),
        (words.say("shift_report.signature"), signed.signature or "-"),
    )


def text_lines(signed: ReportWithHeads, language: str) -> Iterator[str]:
    """The report for a terminal: what stands on paper, a row a line."""
    report, words = signed.report, words_for(signed.report, language)
    yield from head(report, words)
    if report.mode == "shadow":
        yield in_shadow(report, words)
    yield from map(_line, figures(report, words))
    for section in (money(report, words), play(report, words), *lists(report, words)):
        if section.rows:
            yield from ("", section.title, *map(_line, section.rows))
    yield from ("", *map(_line, proof(signed, words)))


def _line(row: tuple[str, ...]) -> str:
    return f"{row[0]:30} {'  '.join(row[1:])}".rstrip()


def in_shadow(report: ShiftReport, words: Words) -> str:
    """How often a table in shadow would have stopped, and how often it would have been right."""
    judged = Counter(hold.was_right for hold in report.holds)
    counts = {f"{word}": judged[word] for word in get_args(WasRight)}
    return words.say("shift_report.in_shadow", stops=len(report.holds), **counts)


def figures(report: ShiftReport, words: Words) -> Rows:
    """The four that a manager looks for first."""
    hold = "-" if report.hold_percent is None else numbers.percent(report.hold_percent, words.language)
    differs = "-" if report.difference is None else words.money(report.difference, sign=True)
    return (
        (words.say("shift_report.win"), words.money(report.win, sign=True)),
        (words.say("books.drop"), words.money(report.drop)),
        (words.say("shift_report.win_over_drop"), hold),
        (words.say("shift_report.difference"), differs),
    )


def money(report: ShiftReport, words: Words) -> Section:
    """From the float at opening to the float that is due and counted: the rows add up."""
    rows = [
        (words.say("books.open"), words.money(report.opening)),
        (words.say("books.fill"), words.money(report.fills, sign=True)),
        (words.say("books.credit"), words.money(-report.credits)),
        (words.say("books.drop"), words.money(-report.drop)),
        (words.say("shift_report.win"), words.money(report.win, sign=True)),
        (words.say("shift_report.float"), words.money(report.expected)),
    ]
    strong = {len(rows) - 1}
    if report.counted is not None and report.difference is not None:
        strong.add(len(rows))
        rows.append((words.say("books.close"), words.money(report.counted)))
        rows.append((words.say("shift_report.difference"), words.money(report.difference, sign=True)))
    return Section(
        f"{words.say('shift_report.money')}, {report.currency}", tuple(rows), (3, 2), frozenset(strong)
    )


def play(report: ShiftReport, words: Words) -> Section:
    """What was played, and how it went on."""
    expected = f"{words.money(report.expected_win, sign=True)} +/- {words.money(report.band)}"
    stopped = sum(hold.seconds or 0.0 for hold in report.holds)
    rows = (
        (words.say("shift_report.rounds"), str(report.rounds)),
        (words.say("shift_report.rounds_void"), str(report.voided)),
        (words.say("shift_report.staked"), words.money(report.staked)),
        (words.say("shift_report.returned"), words.money(report.returned)),
        (words.say("shift_report.expected_win"), expected),
        (words.say("shift_report.confirmed"), str(report.payouts_confirmed)),
        (words.say("shift_report.not_confirmed"), str(report.payouts_not_confirmed)),
        (words.say("shift_report.stops"), f"{len(report.holds)} / {_lasted(stopped)}"),
    )
    return Section(words.say("shift_report.play"), rows, (3, 2))


def lists(report: ShiftReport, words: Words) -> Iterator[Section]:
    """What people did, what stopped the table, what was noticed; a list without a row is left out."""
    ruled = tuple(_ruling(one, words) for one in report.rulings)
    held = tuple(_hold(one, words) for one in report.holds)
    away = tuple((words.at(one.t), one.name) for one in report.devices)
    breaks = tuple(
        (words.at(one.t), one.dealer, "" if one.seconds is None else _lasted(one.seconds))
        for one in report.breaks
    )
    noticed = Counter(words.name(one.code) for one in report.alerts)
    label = "hold" if report.mode != "shadow" else "would_hold"
    yield Section(words.say("shift_report.ruling"), ruled, (1, 2, 7, 4))
    yield Section(words.say(f"shift_report.{label}"), held, (1, 2, 7, 4))
    yield Section(
        words.say("shift_report.alert"), tuple((f"{n} x", name) for name, n in noticed.items()), (1, 13)
    )
    yield Section(words.say("shift_report.device"), away, (1, 13))
    yield Section(words.say("shift_report.breaks"), breaks, (1, 9, 4))
    yield Section(words.say("shift_report.explained"), _explained(report, words), (1,))
    yield Section(words.say("shift_report.finding"), _repeats(report, words.say), (2, 12))


def _ruling(one: ReportRuling, words: Words) -> tuple[str, ...]:
    did = words.say(f"shift_report.did.{one.what.replace(' ', '_')}")
    why = f" ({one.reason})" if one.reason else ""
    moved = f"{words.money(one.win_before, sign=True)} > {words.money(one.win_after, sign=True)}"
    return words.at(one.t), _round(one.round, words), f"{one.by}: {did}{why}", moved


def _hold(one: ReportHold, words: Words) -> tuple[str, ...]:
    ended = words.say("shift_report.unanswered") if one.seconds is None else _lasted(one.seconds)
    if one.was_right is not None:
        ended = words.say(f"shift_report.was_{one.was_right}")
    return words.at(one.t), _round(one.round, words), words.name(one.code), ended


def _round(number: int, words: Words) -> str:
    return f"{words.say('books.round')} {number}" if number else ""


def _lasted(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _explained(report: ShiftReport, words: Words) -> Rows:
    return tuple(
        (words.say(f"books.why_{one.reason}", round=one.round, box=one.box, amount=words.money(one.amount)),)
        for one in report.explanations[:EXPLAINED_MAX]
    )


def _repeats(report: ShiftReport, say: Callable[..., str]) -> Rows:
    return tuple(
        (
            f"{one.repeats} {one.shoe or ''}",
            say("shift_report.chance", cards=one.cards, power=f"{one.odds_log10:.0f}"),
        )
        for one in report.findings
    )
