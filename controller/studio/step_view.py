"""The view of one step: the dealer's view then, the line, its effects, the rules that decided."""

import json
from collections.abc import Iterator
from typing import Any, Final

from controller.domain import RoundResult, Settled
from controller.engine import expected, legal
from controller.i18n import told_in, units
from controller.policy.holds import Hold
from controller.replay.files.table_file import ReadFile
from controller.rules import deciding_rules
from controller.runtime.api import HoldView, PayProgress, TableSnapshot
from controller.runtime.redaction import is_secret, redacted, redacted_holds
from controller.screens.felt import ScreenSettings, ScreenState
from controller.screens.view import TableView
from controller.screens.views import ViewBuilder
from controller.screens.words import ChipStack, Money, Words, money, say
from controller.studio.bodies import StepView
from controller.studio.look_first import words_of
from controller.studio.studio_step import StudioStep, fields_of, words_of_line

AMOUNTS: Final = frozenset({"amount", "chips", "stake", "stake_max", "stake_min", "stake_step"})
"""Fields of a line that are amounts in minor units."""

_BUILDER: Final = ViewBuilder(ScreenSettings())


def step_view(file: ReadFile, step: StudioStep, at: int) -> StepView:
    """Draw up a step; `at` is its number in the file. A card that lies face down is in none of it."""
    hides = step.secret or is_secret(step.state)
    with told_in(file.header.currency):
        words = [words_of(notice, step.state, secret=hides) for notice in step.notices]
        settled = [notice.result for notice in step.notices if isinstance(notice, Settled)]
        return StepView(
            view=_table(file, step, at),
            line=step.taken.line.number,
            by=str(step.taken.line.by or ""),
            says=words_of_line(step, hides=hides),
            entry=tuple(_entry(step, hides=hides)),
            said=(*(one for one in words if one is not None), *(_settled(result) for result in settled)),
            rules=tuple(sorted({rule for result in settled for rule in _rules(file, result)})),
        )


def _table(file: ReadFile, step: StudioStep, at: int) -> TableView:
    state, utc_us = step.state, round(step.taken.line.t * 1e6)
    secret = frozenset({state.book.number}) if is_secret(state) else frozenset[int]()
    result = state.settlement.result
    holds = tuple(_hold(hold, utc_us) for hold in step.taken.holds)
    snapshot = TableSnapshot(
        seq=at,
        at_utc_us=utc_us,
        mode="live",
        table=file.table,
        currency=file.header.currency,
        rules=state.book.rules,
        state=redacted(state),
        expected=expected(state),
        acts=legal(state),
        result=result,
        pay=PayProgress(result.round if result else 0, ()),
        holds=redacted_holds(holds, state, secret),
        devices=(),
        alerts=(),
        waiting=step.taken.waiting,
        autoplay=None,
        options=file.house.options,
    )
    return _BUILDER.build(snapshot, ScreenState(lambda: 0.0))


def _hold(hold: Hold, utc_us: int) -> HoldView:
    """The hold as the live table's screens get it."""
    return HoldView(
        hold.code,
        hold.params,
        utc_us,
        "",
        hold,
        hold.release,
        hold.ways,
        round=hold.round,
        card=hold.card,
        box=hold.box,
    )


def _entry(step: StudioStep, *, hides: bool) -> Iterator[tuple[str, str | Money | ChipStack]]:
    for field, value in fields_of(step, hides=hides).items():
        if field == "stakes" and isinstance(value, dict):
            yield from ((f"stakes[{seat}]", money(int(amount))) for seat, amount in value.items())
        else:
            yield field, _value(field, value)


def _value(field: str, value: Any) -> str | Money | ChipStack:
    """A field's value for people: amounts as money, chips by their kind, lists without their brackets."""
    match value:
        case int() if field in AMOUNTS and not isinstance(value, bool):
            return money(value)
        case dict() if field == "chips":
            return ChipStack(chips=tuple((units(int(kind)), count) for kind, count in value.items()))
        case list():
            return ", ".join(map(str, value))
        case dict():
            return ", ".join(f"{name} {one}" for name, one in value.items())
        case str():
            return value
        case _:
            return json.dumps(value)


def _settled(result: RoundResult) -> Words:
    return say("studio.settled", round=result.round)


def _rules(file: ReadFile, result: RoundResult) -> Iterator[str]:
    for bet in result.bets:
        for part in bet.parts:
            yield from deciding_rules(file.outcomes, part.outcome, result.dealer)
