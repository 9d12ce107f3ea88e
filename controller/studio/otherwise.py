"""A round played otherwise, or a file by other rules, beside what was recorded; a round kept as a case.

Only the case and its expectation are written. Rounds in which a card was never turned are not played
otherwise: another rule or line could turn it.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from controller.config import load_config
from controller.domain.errors import ConfigError
from controller.domain.money import decimal
from controller.i18n import catalogue
from controller.replay.cases.baseline import BaselineReason, accept_baseline, new_baseline
from controller.replay.cases.keep_case import keep_case
from controller.replay.rounds.compared_facts import FactName
from controller.replay.rounds.difference import RoundDifference
from controller.replay.rounds.other_rules import compare_under
from controller.replay.rounds.played import PlayedRound, played_rounds
from controller.replay.rounds.what_if import LineChange, MovedMoney, OtherPlay, RoundChange, what_if
from controller.runtime.redaction import is_secret
from controller.screens.shapes.texts import money
from controller.screens.shapes.values import Money, Word
from controller.studio.bodies import (
    AcceptBody,
    AcceptedView,
    BaselineBody,
    BaselineChangeView,
    BaselineView,
    CompareBody,
    DifferenceValues,
    DifferenceView,
    KeepBody,
    KeptView,
    MovedMoneyView,
    WhatIfBody,
    WhatIfView,
)
from controller.studio.studio_file import StudioFile


def keep_view(file: StudioFile, body: KeepBody, folder: Path | None) -> KeptView:
    """Keep a round as a case in the folder. Raises `ConfigError`, CASE_FOLDER where none was named."""
    if folder is None:
        raise ConfigError("CASE_FOLDER")
    kept = keep_case(file.source, _round(file, body.round), folder, body.name, at_table=file.at_table)
    return KeptView(path=str(kept.feed), lines=kept.lines, lines_before=kept.lines_before)


def _round(file: StudioFile, number: int) -> PlayedRound:
    played = file.rounds.get(number)
    if played is None:
        raise ConfigError("ROUND_NOT_FOUND", round=number, last=max(file.rounds, default=0))
    return played


def what_if_view(file: StudioFile, body: WhatIfBody) -> WhatIfView:
    """The money that a change of one round moves. Raises `ConfigError` for what cannot be changed so."""
    played = _round(file, body.round)
    if is_secret(played.state):
        raise ConfigError("WHAT_IF_SECRET")
    lines = tuple(LineChange(one.line, one.fields) for one in body.lines)
    found = what_if(file.source, played, RoundChange(lines, body.rules, body.options), at_table=file.at_table)
    return WhatIfView(
        money=tuple(_money(one) for one in found.money),
        differences=tuple(_differences(file, found.differences)),
    )


class Known(NamedTuple):
    """What may be asked for by name: the page must not open files of this machine."""

    rules: Sequence[str]
    settings: Sequence[str] = ()


def compare_view(file: StudioFile, body: CompareBody, known: Known) -> WhatIfView:
    """What differs where other rules, irregularities, options or settings count.

    A file is read anew each time: who edits it compares again. Raises `ConfigError`.
    """
    recorded, rounds = file.source, tuple(file.rounds.values())
    how = OtherPlay(body.rules, body.profile, body.options)
    for name in (how.rules, how.profile):
        _require_known(name, known.rules)
    if body.settings:
        return _read_under(file, body, known.settings)
    compared = compare_under(recorded, (*rounds, *file.behind), how.of(recorded), at_table=file.at_table)
    return WhatIfView(differences=tuple(_differences(file, compared.differences)), left_out=compared.left_out)


def _read_under(file: StudioFile, body: CompareBody, known: Sequence[str]) -> WhatIfView:
    if OtherPlay(body.rules, body.profile, body.options) != OtherPlay():
        raise ConfigError("DIFF_CONFIG_ALONE")
    _require_known(body.settings, known)
    return WhatIfView(
        differences=tuple(_differences(file, file.read_under(load_config(Path(body.settings)))))
    )


def baseline_view(file: StudioFile, body: BaselineBody, known: Sequence[str]) -> BaselineView:
    """What accepting these rules would change in the case's expectation. Raises `ConfigError`."""
    rounds, secret = _baseline_rounds(file, body.rules, known)
    new = new_baseline(file.source.name, rounds, secret)
    changes = (
        BaselineChangeView(
            round=one.round, key=one.key, was=_read(one.key, one.expected), would=_read(one.key, one.actual)
        )
        for one in new.found
    )
    return BaselineView(changes=tuple(changes), left_out=new.left_out)


def accept_view(file: StudioFile, body: AcceptBody, known: Sequence[str], utc_us: int) -> AcceptedView:
    """Make what the whole file comes to by these rules the case's expectation. Raises `ConfigError`."""
    rounds, secret = _baseline_rounds(file, body.rules, known)
    reason = BaselineReason(body.reason, body.rules or file.source.header.rules, utc_us)
    made = accept_baseline(file.source.name, rounds, secret, reason)
    return AcceptedView(path=str(made.expect), rounds=made.rounds, values=made.values, left_out=made.left_out)


def _baseline_rounds(
    file: StudioFile, rules: str, known: Sequence[str]
) -> tuple[list[PlayedRound], frozenset[int]]:
    """All rounds by these rules, and which of them keep a card back by the file's own."""
    _require_known(rules, known)
    secret = frozenset(number for number, one in file.rounds.items() if is_secret(one.state))
    return played_rounds(OtherPlay(rules).of(file.source), at_table=file.at_table), secret


def _require_known(name: str, known: Sequence[str]) -> None:
    if name and name not in known:
        raise ConfigError("RULES_UNKNOWN", rules=name, houses=", ".join(known))


def _money(moved: MovedMoney) -> MovedMoneyView:
    box, seat, *amounts = moved
    staked, returned, staked_if, returned_if = (decimal(amount) for amount in amounts)
    return MovedMoneyView(
        box=box, seat=seat, staked=staked, returned=returned, staked_if=staked_if, returned_if=returned_if
    )


def _differences(file: StudioFile, found: Iterable[RoundDifference]) -> Iterator[DifferenceView]:
    steps = {step.taken.line.number: at for at, step in enumerate(file.steps)}
    for one in found:
        what = one.what if isinstance(one.what, FactName) else None
        yield DifferenceView(
            round=one.round,
            step=None if one.line is None else steps.get(one.line),
            kind=what.kind if what else str(one.what),
            box=what.box if what else 0,
            seat=what.seat if what else 0,
            hand=what.hand if what else 0,
            code=what.code if what else "",
            expected=_value(one, one.expected),
            actual=_value(one, one.actual),
        )


WORDS_OF: Final = {"decision": "action", "outcome": "result", "status": "round_status"}
"""Facts and fields whose values are words of a closed vocabulary, and under which name their texts stand."""

AMOUNTS: Final = frozenset(("stake", "staked", "returned", "net"))
"""Fields of an expected round that are amounts in minor units."""


def _read(key: str, value: object) -> str | Money | Word:
    field = key.rpartition(".")[2]
    if field in AMOUNTS and isinstance(value, int):
        return money(value)
    if field in WORDS_OF and f"{WORDS_OF[field]}.{value}" in catalogue("en"):
        return Word(word=f"{WORDS_OF[field]}.{value}")
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _value(found: RoundDifference, value: int | tuple[str, ...] | None) -> DifferenceValues | None:
    if value is None:
        return None
    if isinstance(value, int):
        return (money(value) if found.is_money else str(value),)
    name = WORDS_OF.get(found.what.kind) if isinstance(found.what, FactName) else None
    return tuple(Word(word=f"{name}.{one}") for one in value) if name else value
