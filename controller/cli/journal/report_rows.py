"""A shift's report as pairs of a label and a value, in the language of the command line."""

from collections.abc import Iterator
from typing import Final, get_args

from controller.cli.replay.amounts import amount, clock, signed_amount
from controller.i18n import text
from controller.replay.rounds.in_shadow import WasRight
from controller.replay.rounds.report_parts import ShiftReport, SignedReport

Row = tuple[str, str]

EXPLAINED_MAX: Final = 10
"""So many explanations stand on paper, the likeliest ones; the JSON has all."""


def rows_of(signed: SignedReport) -> Iterator[Row]:
    """Every line of the report, in the order in which people read it."""
    report = signed.report
    yield from _table(report)
    yield from _money(report)
    yield from _lists(report)
    yield text("shift_report.head"), f"{signed.head.seq} {signed.head.hash}"
    yield text("shift_report.software"), signed.software
    yield text("shift_report.key"), signed.key or text("shift_report.unsigned")
    if signed.signature:
        yield text("shift_report.signature"), signed.signature


def _table(report: ShiftReport) -> Iterator[Row]:
    yield text("shift_report.table"), f"{report.table} ({report.rules})"
    if report.mode == "shadow":
        yield text("shift_report.mode"), text("shift_report.in_shadow", _judged(report))
    yield text("shift_report.day"), report.started_at
    yield text("shift_report.time"), f"{clock(report.from_t)} - {clock(report.to_t)}"
    yield text("shift_report.people"), ", ".join(report.people)
    counted = {"settled": report.settled, "voided": report.voided, "disputed": report.disputed}
    yield (
        text("shift_report.rounds"),
        f"{report.rounds} ({text('shift_report.rounds_counted', dict(counted))})",
    )


def _judged(report: ShiftReport) -> dict[str, int | str]:
    """How often a table in shadow would have stopped, and how often it would have been right."""
    judged = [hold.was_right for hold in report.holds]
    return {"stops": len(judged), **{f"{word}": judged.count(word) for word in get_args(WasRight)}}


def _money(report: ShiftReport) -> Iterator[Row]:
    currency = report.currency
    yield text("shift_report.staked"), amount(report.staked, currency)
    yield text("shift_report.returned"), amount(report.returned, currency)
    yield text("books.open"), amount(report.opening, currency)
    yield text("books.fill"), amount(report.fills, currency)
    yield text("books.credit"), amount(report.credits, currency)
    yield text("books.drop"), amount(report.drop, currency)
    yield text("shift_report.win"), signed_amount(report.win, currency)
    if report.hold_percent is not None:
        yield text("shift_report.win_over_drop"), f"{report.hold_percent} %"
    expected, band = signed_amount(report.expected_win, currency), amount(report.band, currency)
    yield text("shift_report.expected_win"), f"{expected} +/- {band}"
    yield text("shift_report.float"), amount(report.expected, currency)
    if report.counted is not None and report.difference is not None:
        yield text("books.close"), amount(report.counted, currency)
        yield text("shift_report.difference"), signed_amount(report.difference, currency)
    for one in report.explanations[:EXPLAINED_MAX]:
        params: dict[str, str | int] = {"round": one.round, "box": one.box}
        sentence = text(f"books.why_{one.reason}", params | {"amount": amount(one.amount, currency)})
        yield text("shift_report.explained"), sentence
    yield text("shift_report.confirmed"), str(report.payouts_confirmed)
    yield text("shift_report.not_confirmed"), str(report.payouts_not_confirmed)


def _lists(report: ShiftReport) -> Iterator[Row]:
    currency = report.currency
    for alert in report.alerts:
        place = f"{clock(alert.t)} {text('books.round')} {alert.round}"
        yield text("shift_report.alert"), f"{place}: {alert.code}"
    for hold in report.holds:
        waited = text("shift_report.unanswered") if hold.seconds is None else f"{hold.seconds:g} s"
        if hold.was_right is not None:
            waited = text(f"shift_report.was_{hold.was_right}")
        place = f"{clock(hold.t)} {text('books.round')} {hold.round}"
        label = "hold" if hold.was_right is None else "would_hold"
        yield text(f"shift_report.{label}"), f"{place}: {hold.code}, {waited}"
    for ruling in report.rulings:
        moved = f"{signed_amount(ruling.win_before, currency)} > {signed_amount(ruling.win_after, currency)}"
        place = f"{clock(ruling.t)} {text('books.round')} {ruling.round}"
        what = text(f"shift_report.did.{ruling.what.replace(' ', '_')}")
        yield text("shift_report.ruling"), f"{place}: {what} {ruling.by} ({ruling.reason}), {moved}"
    for device in report.devices:
        yield text("shift_report.device"), f"{clock(device.t)} {device.name}: {device.state}"
    for run in report.findings:
        chance = text("shift_report.chance", {"cards": run.cards, "power": f"{run.odds_log10:.0f}"})
        yield text("shift_report.finding"), f"{run.repeats} {run.shoe or ''}: {chance}"
