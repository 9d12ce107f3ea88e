"""Views of hand-made rounds: the real engine folds the facts, the real mask hides, the real drawer draws."""

from pathlib import Path
from typing import Any

from controller.acts.catalogue import CardSeen, Observation
from controller.domain import Refused, card_named
from controller.engine import expected, legal, new_table, step
from controller.engine.state import TableState
from controller.rules import load_rules
from controller.runtime.api import AlertView, HoldView, PayProgress, TableSnapshot
from controller.runtime.redaction import redacted
from controller.screens.felt import ScreenSettings, ScreenState
from controller.screens.view import Key, Prompt, TableView
from controller.screens.views import ViewBuilder
from controller.screens.words import Money


def table(rules: str = "spielbank", **overrides: Any) -> TableState:
    return new_table(load_rules(rules, overrides, Path()))


def after(state: TableState, *observations: Observation) -> TableState:
    """The state after facts that are all taken."""
    for observation in observations:
        stepped = step(state, observation)
        assert not any(isinstance(notice, Refused) for notice in stepped.notices), stepped.notices
        state = stepped.state
    return state


def cards(*ranks: str) -> tuple[CardSeen, ...]:
    return tuple(CardSeen(card_named(rank, "s").rank, "s", by="shoe") for rank in ranks)


def snapshot(
    state: TableState,
    *,
    handled: tuple[int, ...] = (),
    holds: tuple[HoldView, ...] = (),
    alerts: tuple[AlertView, ...] = (),
    **told: Any,
) -> TableSnapshot:
    return TableSnapshot(
        seq=7,
        at_utc_us=1_700_000_000_000_000,
        mode="live",
        table="BJ 04",
        currency="EUR",
        rules=state.book.rules,
        state=redacted(state),
        expected=expected(state),
        acts=legal(state),
        result=state.settlement.result,
        pay=PayProgress(state.book.number, handled),
        holds=holds,
        devices=(),
        alerts=alerts,
        waiting=0,
        autoplay=None,
        **told,
    )


def view_of(state: TableState, screen: ScreenState | None = None, **shown: Any) -> TableView:
    return ViewBuilder(ScreenSettings()).build(snapshot(state, **shown), screen or ScreenState(lambda: 0.0))


def key(prompt: Prompt, name: str) -> Key:
    return next(item for item in prompt.bar.keys if item.key == name)


def line(prompt: Prompt) -> str:
    """Code and parameters in one readable string, such as "PAY box=3 amount=22.50"."""
    params = (
        f"{name}={value.money if isinstance(value, Money) else value}"
        for name, value in prompt.line.params.items()
    )
    return " ".join([prompt.line.code.removeprefix("line."), *params])


def first_line(prompt: Prompt) -> tuple[str, list[str]]:
    """The line's code and the keys before Call pit, in their order."""
    return prompt.line.code.removeprefix("line."), [item.key for item in prompt.bar.keys[:-1]]
