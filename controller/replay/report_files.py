"""A shift's report for people: its sentences, its paper, and the files that `stand17 verify` proves.

In the reader's language and in the words of the screens: no codes, and clock times.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from controller import i18n
from controller.domain import ConfigError
from controller.i18n import catalogue, text
from controller.journal.head_file import TableKey
from controller.outputs import CsvWriter
from controller.replay.shift_file import ShiftFile, open_shift
from controller.replay.shift_report import (
    ReportHead,
    ReportHold,
    ReportRuling,
    ReportWithHeads,
    ShiftReport,
    WasRight,
    report_of,
)
from controller.screens.words import ViewModel, short
from controller.software import digest_of, root_of_this_program, way_to_install

Rows = tuple[tuple[str, ...], ...]

EXPLAINED_MAX: Final = 10
"""So many explanations are written, the likeliest ones; the JSON has all."""

_NOT_COUNTED: Final = "shift_report.not_counted"
_NOT_ENTERED: Final = "ui.not_entered"
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

    def money(self, minor: int | None, *, sign: bool = False, missing: str = _NOT_COUNTED) -> str:
        """Minor units as `1,204.50`; a plus only where it moved. Without an amount the text `missing`.

        0.00 would be a figure.
        """
        if minor is None:
            return self.say(missing)
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

    def lasted(self, seconds: float | None, missing: str = "") -> str:
        """Minutes and seconds; the text `missing` where it has no end in this shift, nothing without one."""
        if seconds is None:
            return self.say(missing) if missing else ""
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
        shadow=_in_shadow(report, words) if report.mode == "shadow" else "",
        figures=_figures_of(report, words),
        money=_money(report, words),
        play=_play(report, words),
        lists=tuple(section for section in _lists(report, words) if section.rows),
        proof=(
            (words.say("shift_report.head"), f"{signed.head.seq} {signed.head.hash}"),
            (words.say("shift_report.software"), signed.software),
            (words.say("shift_report.key"), signed.key or words.say("shift_report.unsigned")),
            (words.say("shift_report.signature"), signed.signature or "-"),
        ),
        prints=find_spec("fpdf") is not None,
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


def _in_shadow(report: ShiftReport, words: PaperTexts) -> str:
    """Return the number of stops that a table in shadow would have made, and how many were right."""
    judged = Counter(hold.was_right for hold in report.holds)
    counts = {f"{word}": judged[word] for word in get_args(WasRight)}
    return words.say("shift_report.in_shadow", stops=len(report.holds), **counts)


def _figures_of(report: ShiftReport, words: PaperTexts) -> Rows:
    """The four that a manager looks for first."""
    hold = "-" if report.hold_percent is None else i18n.percent(report.hold_percent, words.language)
    return (
        (words.say("shift_report.win"), words.money(report.win, sign=True)),
        (words.say("books.drop"), words.money(report.drop, missing=_NOT_ENTERED)),
        (words.say("shift_report.win_over_drop"), hold),
        (words.say("shift_report.difference"), words.money(report.difference, sign=True)),
    )


def _money(report: ShiftReport, words: PaperTexts) -> PaperSection:
    """Return the rows from the opening float to the expected and the counted float; they add up.

    Without an opening count the expected float is unknown.
    """
    due = None if report.opening is None else report.expected
    rows = (
        (words.say("books.open"), words.money(report.opening)),
        (words.say("books.fill"), words.money(report.fills, sign=True, missing=_NOT_ENTERED)),
        (words.say("books.credit"), words.money(report.credits and -report.credits, missing=_NOT_ENTERED)),
        (words.say("books.drop"), words.money(report.drop and -report.drop, missing=_NOT_ENTERED)),
        (words.say("shift_report.win"), words.money(report.win, sign=True)),
        (words.say("shift_report.float"), words.money(due)),
        (words.say("books.close"), words.money(report.counted)),
        (words.say("shift_report.difference"), words.money(report.difference, sign=True)),
    )
    title = f"{words.say('shift_report.money')}, {report.currency}"
    return PaperSection(title=title, rows=rows, widths=(3, 2), strong=(5, 6))


def _play(report: ShiftReport, words: PaperTexts) -> PaperSection:
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


def _lists(report: ShiftReport, words: PaperTexts) -> Iterator[PaperSection]:
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
        (
            "device",
            tuple(
                (words.at(one.t), one.name, words.lasted(one.seconds, "shift_report.still_away"))
                for one in report.devices
            ),
            (1, 9, 4),
        ),
        (
            "breaks",
            tuple(
                (words.at(one.t), words.who(one.dealer), words.lasted(one.seconds)) for one in report.breaks
            ),
            (1, 9, 4),
        ),
        ("explained", _explained(report, words), (1,)),
        (
            "finding",
            tuple(
                (
                    f"{one.repeats} {one.shoe or ''}",
                    words.say("shift_report.chance", cards=one.cards, power=f"{one.odds_log10:.0f}"),
                )
                for one in report.findings
            ),
            (2, 12),
        ),
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
    ended = words.lasted(one.seconds, "shift_report.unanswered")
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


FONT: Final = "Helvetica"
"""A font that every reader of PDF has; it writes the five languages, and a ? for what it lacks."""
_TEXT_PT: Final = 9.5
"""12 px of the drawing, which is the least on paper."""
_LINE_MM: Final = 5.4
GAP_MM: Final = 8
_QR_MM: Final = 44
_SIGNATURE_MM: Final = 16
_LAST_ROWS: Final = 3
"""So many rows of the last section stand with the signatures."""
_BAR_GREY: Final = 223
PEOPLE: Final = ("role.dealer", "role.supervisor", "shift_report.cashier")


def pdf_of(reports: Sequence[ReportWithHeads], language: str) -> bytes:
    """The file's bytes, in a language. Raises `ConfigError` FPDF_MISSING."""
    try:
        fpdf, _ = import_module("fpdf"), import_module("segno")
    except ImportError as error:
        raise ConfigError("FPDF_MISSING", way=way_to_install("report")) from error
    pdf = type("Paper", (fpdf.FPDF,), {"footer": _footer})()
    pdf.set_margin(15)
    pdf.set_auto_page_break(True, 18)
    for one in reports:
        paper = paper_of(one, language)
        _head(pdf, paper)
        _figures(pdf, paper.figures)
        _beside(pdf, paper.money, paper.play)
        for section in paper.lists[:-1]:
            _section(pdf, section)
        _end(pdf, one, paper, language)
    return bytes(pdf.output())


def _footer(pdf: Any) -> None:
    """Name of the program and number of the page, at the foot of every page."""
    pdf.set_y(-14)
    pdf.set_font(FONT, "", _TEXT_PT)
    pdf.cell(0, _LINE_MM, "stand17")
    pdf.cell(0, _LINE_MM, f"{pdf.page_no()} / {{nb}}", align="R")


def _head(pdf: Any, paper: ReportPaper) -> None:
    pdf.add_page()
    pdf.set_font(FONT, "B", 18)
    half = pdf.epw / 2
    pdf.cell(half, 9, _plain(paper.title))
    pdf.set_font(FONT, "", _TEXT_PT)
    stand = f"{paper.when}\n{paper.stand}"
    pdf.multi_cell(half, _LINE_MM, _plain(stand), align="R", new_x="LMARGIN", new_y="NEXT")
    if paper.shadow:
        pdf.multi_cell(0, _LINE_MM, _plain(paper.shadow), new_x="LMARGIN", new_y="NEXT")
    pdf.line(pdf.l_margin, pdf.y + 2, pdf.w - pdf.r_margin, pdf.y + 2)
    pdf.ln(GAP_MM)


def _figures(pdf: Any, rows: Rows) -> None:
    width, top = pdf.epw / len(rows), pdf.y
    for at, (name, value) in enumerate(rows):
        pdf.rect(pdf.l_margin + at * width, top, width, 16)
        pdf.set_xy(pdf.l_margin + at * width + 2, top + 2)
        pdf.set_font(FONT, "", _TEXT_PT)
        pdf.cell(width - 4, _LINE_MM, _plain(name), new_x="LEFT", new_y="NEXT")
        pdf.set_font(FONT, "B", 14)
        pdf.cell(width - 4, 7, _plain(value))
    pdf.set_xy(pdf.l_margin, top + 16 + GAP_MM)


def _beside(pdf: Any, left: PaperSection, right: PaperSection) -> None:
    """Draw two sections side by side; the next section starts below the longer one."""
    top, margins = pdf.y, (pdf.l_margin, pdf.r_margin)
    middle = pdf.w / 2
    pdf.set_right_margin(middle + 3)
    _section(pdf, left)
    ends = pdf.y
    pdf.set_margins(middle + 3, pdf.t_margin, margins[1])
    pdf.set_xy(middle + 3, top)
    _section(pdf, right)
    pdf.set_margins(margins[0], pdf.t_margin, margins[1])
    pdf.set_xy(margins[0], max(ends, pdf.y))


def _end(pdf: Any, signed: ReportWithHeads, paper: ReportPaper, language: str) -> None:
    """Draw the last section and the signatures: its last rows stand on their page, whichever that is."""
    rest = list(paper.lists[-1:])
    for section in rest:
        if first := section.rows[:-_LAST_ROWS]:
            _section(pdf, section.model_copy(update={"rows": first}), gap=0)
            strong = tuple(at - len(first) for at in section.strong)
            last = {"rows": section.rows[-_LAST_ROWS:], "title": "", "heads": (), "strong": strong}
            rest = [section.model_copy(update=last)]

    def draw(on: Any) -> None:
        for section in rest:
            _section(on, section)
        _signatures(on, language)
        _proof(on, signed, paper.proof)

    with pdf.offset_rendering() as tried:
        draw(tried)
    if tried.page_break_triggered or tried.will_page_break(0):
        pdf.add_page()
    draw(pdf)


def _section(pdf: Any, section: PaperSection, *, gap: int = GAP_MM) -> None:
    fonts = import_module("fpdf.fonts")
    if section.title:
        pdf.set_font(FONT, "B", 12)
        pdf.cell(0, 7, _plain(section.title), new_x="LMARGIN", new_y="NEXT")
    pdf.set_font(FONT, "", _TEXT_PT)
    last = "RIGHT" if len(section.widths) in (2, 4) and section.widths[-1] < 13 else "LEFT"
    aligned = ("LEFT",) * (len(section.widths) - 1) + (last,)
    with pdf.table(
        align="LEFT",
        borders_layout="HORIZONTAL_LINES",
        col_widths=section.widths,
        first_row_as_headings=bool(section.heads),
        line_height=_LINE_MM,
        text_align=aligned,
        width=pdf.epw,
    ) as table:
        if section.heads:
            table.row([_plain(cell) for cell in section.heads])
        for at, row in enumerate(section.rows):
            style = fonts.FontFace(emphasis="BOLD") if at in section.strong else None
            style = fonts.FontFace(fill_color=_BAR_GREY) if section.bar else style
            table.row([_plain(cell) for cell in row], style=style)
    pdf.ln(gap)


def _signatures(pdf: Any, language: str) -> None:
    width, top = pdf.epw / len(PEOPLE), pdf.y + _SIGNATURE_MM
    for at, key in enumerate(PEOPLE):
        left = pdf.l_margin + at * width
        pdf.line(left, top, left + width - 6, top)
        pdf.text(left, top + _LINE_MM, _plain(text(key, {}, language)))
    pdf.set_xy(pdf.l_margin, top + _LINE_MM + GAP_MM)


def _proof(pdf: Any, signed: ReportWithHeads, rows: Rows) -> None:
    """Draw the QR code, and beside it its content: table, money in minor units, lines, head, signature."""
    report, last = signed.report, signed.head
    counted = "" if report.difference is None else f" difference {report.difference}"
    money, lines = f"win {report.win} drop {report.drop}{counted}", f"{report.first_line}-{report.last_line}"
    content = f"stand17 {report.table} {money} lines {lines} {last.seq} {last.hash} {signed.signature}"
    code = BytesIO()
    import_module("segno").make(content.rstrip(), error="m").save(code, kind="png", scale=4, border=0)
    top = pdf.y
    pdf.image(code, x=pdf.l_margin, y=top, w=_QR_MM)
    pdf.set_y(top)
    for name, value in rows:
        for style, recorded in (("B", name), ("", value)):
            pdf.set_font(FONT, style, _TEXT_PT)
            pdf.set_x(pdf.l_margin + _QR_MM + 6)
            pdf.multi_cell(0, _LINE_MM - 0.8, _plain(recorded), align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.set_y(max(pdf.y, top + _QR_MM))


def _plain(words: str) -> str:
    """Replace the characters that the font lacks; a narrow no-break space becomes a wide one."""
    return words.replace("\u202f", "\u00a0").encode("latin-1", "replace").decode("latin-1")


NO_HEAD: Final = ReportHead(seq=0, hash="")

Form = Literal["json", "csv", "pdf"]


def report_with_heads(
    file: Path, *, at_table: bool = False, progress: Callable[[int], None] = lambda _: None
) -> ReportWithHeads:
    """Return the unsigned report of a file's last shift, with the end of the journal.

    `progress` gets each entry of a journal that fits. Raises `ConfigError` REPORT_MISFIT for one that does
    not, and as `open_shift`.
    """
    opened = open_shift(file, at_table=at_table, progress=progress)
    return ReportWithHeads(report=report_of(opened), head=_end_of_journal(file, opened), software=_software())


@cache
def _software() -> str:
    """The version of this program and the digest of its files."""
    return f"{version('stand17')} {digest_of(root_of_this_program())}"


def signed(report: ReportWithHeads, private: TableKey | None) -> ReportWithHeads:
    """The report as a key signs it; as it is without one."""
    if private is None:
        return report
    named = report.model_copy(update={"key": private.public})
    return named.model_copy(update={"signature": private.sign(named.message()).hex()})


def _end_of_journal(file: Path, opened: ShiftFile) -> ReportHead:
    if opened.checked is None:
        return NO_HEAD
    if not opened.checked.ok:
        raise ConfigError("REPORT_MISFIT", path=str(file))
    end = opened.checked.head
    return ReportHead(seq=end.seq, hash="" if opened.hides else end.hash.hex())


def written(form: Form, reports: Sequence[ReportWithHeads], language: str) -> bytes:
    """The bytes of a file; a PDF speaks a language. Raises `ConfigError` FPDF_MISSING."""
    match form:
        case "json":
            return "".join(one.model_dump_json() + "\n" for one in reports).encode()
        case "csv":
            return _csv(reports).encode()
        case "pdf":
            return pdf_of(reports, language)


def _csv(reports: Sequence[ReportWithHeads]) -> str:
    """A row a shift, amounts in minor units; of lists how many there are."""
    out = StringIO(newline="")
    writer = CsvWriter(out)
    for number, one in enumerate(reports):
        fields = one.report.model_dump() | {"head_seq": one.head.seq, "head_hash": one.head.hash}
        fields["people"] = " ".join(one.report.people)
        if not number:
            writer.row(fields)
        writer.row([len(value) if isinstance(value, tuple) else value for value in fields.values()])
    return out.getvalue()
