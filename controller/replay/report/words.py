"""The sentences of a shift's report: figures, money from float to float, play, acts, stops.

In the reader's language and in the words of the screens: no codes, and clock times.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from importlib.util import find_spec
from typing import Final, NamedTuple, get_args

from controller import i18n
from controller.i18n import catalogue, text
from controller.replay.report.model import (
    ReportBreak,
    ReportDevice,
    ReportHold,
    ReportRuling,
    ReportWithHeads,
    ShiftReport,
    WasRight,
)
from controller.screens.words import ViewModel, short

Rows = tuple[tuple[str, ...], ...]

EXPLAINED_MAX: Final = 10
"""So many explanations are written, the likeliest ones; the JSON has all."""

_ROLES: Final = {"dealer": "role.dealer", "pit": "ui.pit", "system": "who.system", "device": "devices.device"}


class PaperSection(ViewModel):
    """A heading and its rows, with optional column `heads`.

    `strong` are the rows in bold, `widths` the columns' shares; a `bar` is one row whose cells are filled.
    """

    title: str
    rows: Rows
    widths: tuple[int, ...]
    heads: tuple[str, ...] = ()
    strong: tuple[int, ...] = ()
    bar: bool = False


class ReportPaper(ViewModel):
    """The content of a report, from top to bottom: `figures` are a manager's four main figures.

    `money` and `play` are side by side. An empty list is left out; `shadow` is "" at a table that stops.
    `proof` contains the data to verify it; `prints`: the extra for paper is installed.
    """

    title: str
    when: str
    stand: str
    shadow: str
    figures: Rows
    money: PaperSection
    play: PaperSection
    lists: tuple[PaperSection, ...]
    proof: Rows
    prints: bool


class PaperTexts(NamedTuple):
    """Texts, amounts and times as a reader of one language writes them; `start` is when the file began.

    Amounts have `digits` behind the decimal sign.
    """

    language: str
    start: datetime
    digits: int

    def say(self, key: str, **params: str | int) -> str:
        """The text of a key."""
        return text(key, params, self.language)

    def money(self, minor: int, sign: bool = False) -> str:
        """Minor units as `1,204.50`; a plus only where it moved."""
        return i18n.money(minor, self.language, signed=sign, digits=self.digits)

    def at(self, t: float) -> str:
        """Hours and minutes at the table of seconds since the start."""
        return i18n.clock(self.start + timedelta(seconds=t), self.language)

    def who(self, by: str) -> str:
        """Return the author of "dealer:D-17": the role in the reader's language, and the known name."""
        role, _, name = by.partition(":")
        return " ".join(filter(None, (self.say(_ROLES[role]) if role in _ROLES else role, name)))

    def name(self, code: str) -> str:
        """The name of a stop or of a notice."""
        return self.say(short(code).code)

    def lasted(self, seconds: float | None) -> str:
        """Minutes and seconds; nothing where it has no end in this shift."""
        if seconds is None:
            return ""
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes} min {rest} s"


def words_for(report: ShiftReport, language: str) -> PaperTexts:
    """Return the texts of a report in a language, with the local time zone."""
    start = datetime.fromisoformat(report.started_at).astimezone()
    return PaperTexts(language, start, i18n.digits_or_cents(report.currency))


def paper_of(signed: ReportWithHeads, language: str) -> ReportPaper:
    """The report in a language: page, paper and terminal are drawn from it."""
    report, words = signed.report, words_for(signed.report, language)
    begun = f"{i18n.day(words.start, words.language)}, {words.at(report.from_t)} - {words.at(report.to_t)}"
    return ReportPaper(
        title=f"{words.say('shift_report.title')} {report.table}",
        when=begun,
        stand=" · ".join(filter(None, (report.rules, ", ".join(map(words.who, report.people))))),
        shadow=in_shadow(report, words) if report.mode == "shadow" else "",
        figures=figures(report, words),
        money=money(report, words),
        play=play(report, words),
        lists=tuple(section for section in lists(report, words) if section.rows),
        proof=proof(signed, words),
        prints=find_spec("fpdf") is not None,
    )


def proof(signed: ReportWithHeads, words: PaperTexts) -> Rows:
    """Return the rows with the data to verify the report."""
    return (
        (words.say("shift_report.head"), f"{signed.head.seq} {signed.head.hash}"),
        (words.say("shift_report.software"), signed.software),
        (words.say("shift_report.key"), signed.key or words.say("shift_report.unsigned")),
        (words.say("shift_report.signature"), signed.signature or "-"),
    )


def text_lines(signed: ReportWithHeads, language: str) -> Iterator[str]:
    """Yield the report for a terminal: the paper's rows, one per line."""
    paper = paper_of(signed, language)
    yield from filter(None, (paper.title, paper.when, paper.stand, paper.shadow))
    yield from map(_line, paper.figures)
    for section in (paper.money, paper.play, *paper.lists):
        yield from ("", section.title, *map(_line, filter(None, (section.heads, *section.rows))))
    yield from ("", *map(_line, paper.proof))


def _line(row: tuple[str, ...]) -> str:
    return f"{row[0]:30} {'  '.join(row[1:])}".rstrip()


def in_shadow(report: ShiftReport, words: PaperTexts) -> str:
    """Return the number of stops that a table in shadow would have made, and how many were right."""
    judged = Counter(hold.was_right for hold in report.holds)
    counts = {f"{word}": judged[word] for word in get_args(WasRight)}
    return words.say("shift_report.in_shadow", stops=len(report.holds), **counts)


def figures(report: ShiftReport, words: PaperTexts) -> Rows:
    """The four that a manager looks for first."""
    hold = "-" if report.hold_percent is None else i18n.percent(report.hold_percent, words.language)
    return (
        (words.say("shift_report.win"), words.money(report.win, sign=True)),
        (words.say("books.drop"), entered(report.drop, words)),
        (words.say("shift_report.win_over_drop"), hold),
        (words.say("shift_report.difference"), _counted(report.difference, words, sign=True)),
    )


def _counted(amount: int | None, words: PaperTexts, *, sign: bool = False) -> str:
    """An amount that stands on a count of the float; without one it says so."""
    return words.say("shift_report.not_counted") if amount is None else words.money(amount, sign=sign)


def entered(amount: int | None, words: PaperTexts, *, factor: int = 1, sign: bool = False) -> str:
    """An amount of slips; without one it says so, for 0.00 would be a figure."""
    return words.say("ui.not_entered") if amount is None else words.money(factor * amount, sign=sign)


def money(report: ShiftReport, words: PaperTexts) -> PaperSection:
    """Return the rows from the opening float to the expected and the counted float; they add up.

    Without an opening count the expected float is unknown.
    """
    due = None if report.opening is None else report.expected
    rows = (
        (words.say("books.open"), _counted(report.opening, words)),
        (words.say("books.fill"), entered(report.fills, words, sign=True)),
        (words.say("books.credit"), entered(report.credits, words, factor=-1)),
        (words.say("books.drop"), entered(report.drop, words, factor=-1)),
        (words.say("shift_report.win"), words.money(report.win, sign=True)),
        (words.say("shift_report.float"), _counted(due, words)),
        (words.say("books.close"), _counted(report.counted, words)),
        (words.say("shift_report.difference"), _counted(report.difference, words, sign=True)),
    )
    title = f"{words.say('shift_report.money')}, {report.currency}"
    return PaperSection(title=title, rows=rows, widths=(3, 2), strong=(5, 6))


def play(report: ShiftReport, words: PaperTexts) -> PaperSection:
    """Return the rows about the rounds and stops."""
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
        (words.say("shift_report.stops"), f"{len(report.holds)} / {words.lasted(stopped)}"),
    )
    return PaperSection(title=words.say("shift_report.play"), rows=rows, widths=(3, 2))


def lists(report: ShiftReport, words: PaperTexts) -> Iterator[PaperSection]:
    """Yield the lists of dealers, differences, acts, stops, and alerts."""
    label = "hold" if report.mode != "shadow" else "would_hold"
    noticed = Counter(words.name(one.code) for one in report.alerts)
    yield _dealers(report, words)
    yield _differences(report, words)
    yield _seconds(report, words)
    for name, rows, widths in (
        ("ruling", tuple(_ruling(one, words) for one in report.rulings), (1, 2, 7, 4)),
        (label, tuple(_hold(one, words) for one in report.holds), (1, 2, 7, 4)),
        ("alert", tuple((f"{n} x", name) for name, n in noticed.items()), (1, 13)),
        ("device", tuple(_away(one, words) for one in report.devices), (1, 9, 4)),
        ("breaks", tuple(_break(one, words) for one in report.breaks), (1, 9, 4)),
        ("explained", _explained(report, words), (1,)),
        ("finding", _repeats(report, words.say), (2, 12)),
    ):
        yield PaperSection(title=words.say(f"shift_report.{name}"), rows=rows, widths=widths)


def _dealers(report: ShiftReport, words: PaperTexts) -> PaperSection:
    rows = tuple(
        (
            one.dealer or "-",
            f"{words.at(one.from_t)} - {words.at(one.to_t)}",
            str(one.rounds),
            "-" if one.hourly is None else str(round(one.hourly)),
            words.money(one.win, sign=True),
            str(one.differences),
        )
        for one in report.dealers
    )
    whole = (
        words.say("ui.table"),
        "",
        str(sum(one.rounds for one in report.dealers)),
        "",
        words.money(sum(one.win for one in report.dealers), sign=True),
        str(sum(one.differences for one in report.dealers)),
    )
    heads = ("role.dealer", "shift_report.dealt", "shift_report.rounds", "shift_report.hourly")
    more = ("shift_report.win", "shift_report.differences")
    return PaperSection(
        title=words.say("shift_report.dealers"),
        rows=(*rows, whole) if rows else (),
        strong=(len(rows),) if rows else (),
        widths=(4, 4, 2, 3, 3, 3),
        heads=tuple(words.say(head) for head in (*heads, *more)),
    )


def _differences(report: ShiftReport, words: PaperTexts) -> PaperSection:
    rows = tuple(
        (
            f"{one.round} {words.at(one.t)}",
            f"{one.box}" if not one.seat else f"{one.box} + {one.seat}",
            words.money(one.due, sign=True),
            words.money(one.paid, sign=True),
            words.money(one.paid - one.due, sign=True),
            words.money(one.left, sign=True),
            words.who(one.by),
        )
        for one in report.differences
    )
    left = sum(one.left for one in report.differences)
    whole = (words.say("shift_report.left_in_all"), "", "", "", "", words.money(left, sign=True), "")
    heads = ("round", "box", "due", "paid", "difference")
    return PaperSection(
        title=words.say("shift_report.differences"),
        rows=(*rows, whole) if rows else (),
        strong=(len(rows),) if rows else (),
        widths=(3, 2, 3, 3, 3, 3, 4),
        heads=(
            *(words.say(f"ui.ledger_{head}") for head in heads),
            words.say("shift_report.left"),
            words.say("shift_report.by"),
        ),
    )


def _seconds(report: ShiftReport, words: PaperTexts) -> PaperSection:
    """A bar of one row: each part as wide as it is long, but wide enough for its name."""
    whole = sum(one.seconds for one in report.phases if one.name != "waits")
    # Waits can be many times the round: a part that is too narrow for one letter cannot be printed.
    narrowest = round(sum(one.seconds for one in report.phases) / 9)
    row = tuple(f"{words.say(f'phase.{one.name}')} {round(one.seconds)}" for one in report.phases)
    return PaperSection(
        title=words.say("shift_report.seconds", seconds=round(whole)),
        rows=(row,) if row else (),
        widths=tuple(max(round(one.seconds), narrowest, 1) for one in report.phases),
        bar=True,
    )


def _away(one: ReportDevice, words: PaperTexts) -> tuple[str, ...]:
    ended = words.say("shift_report.still_away") if one.seconds is None else words.lasted(one.seconds)
    return words.at(one.t), one.name, ended


def _break(one: ReportBreak, words: PaperTexts) -> tuple[str, ...]:
    return words.at(one.t), words.who(one.dealer), words.lasted(one.seconds)


def _ruling(one: ReportRuling, words: PaperTexts) -> tuple[str, ...]:
    did = words.say(f"shift_report.did.{one.what.replace(' ', '_')}")
    key = f"reason.{one.reason}"
    reason = words.say(key) if key in catalogue(words.language) else one.reason
    why = f" ({reason})" if reason else ""
    return words.at(one.t), _round(one.round, words), f"{words.who(one.by)}: {did}{why}", _moved(one, words)


def _moved(one: ReportRuling, words: PaperTexts) -> str:
    """Both settlements of a ruling; without one before it no money moved."""
    if one.win_before is None:
        return words.say("shift_report.no_money")
    before = words.money(one.win_before, sign=True)
    if one.win_after is None:
        return f"{before} > {words.say('shift_report.not_settled')}"
    return f"{before} > {words.money(one.win_after, sign=True)}"


def _hold(one: ReportHold, words: PaperTexts) -> tuple[str, ...]:
    ended = words.say("shift_report.unanswered") if one.seconds is None else words.lasted(one.seconds)
    if one.was_right is not None:
        ended = words.say(f"shift_report.was_{one.was_right}")
    return words.at(one.t), _round(one.round, words), words.name(one.code), ended


def _round(number: int, words: PaperTexts) -> str:
    return f"{words.say('books.round')} {number}" if number else ""


def _explained(report: ShiftReport, words: PaperTexts) -> Rows:
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
