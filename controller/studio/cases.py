"""Rounds kept as cases, and a case's expectation made anew. Only the case and its expectation are written."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.domain import ConfigError
from controller.i18n import catalogue, told_in
from controller.replay.cases.baseline import BaselineReason, accept_baseline, new_baseline
from controller.replay.cases.keep_case import keep_case
from controller.replay.rounds.other_rules import OtherPlay
from controller.replay.rounds.played import PlayedRound, played_rounds
from controller.runtime.redaction import is_secret
from controller.screens.words import Money, Word, money
from controller.studio.bodies import (
    AcceptBody,
    AcceptedView,
    BaselineBody,
    BaselineChangeView,
    BaselineView,
    KeepBody,
    KeptView,
)
from controller.studio.studio_file import StudioFile


def keep_view(file: StudioFile, body: KeepBody, folder: Path | None) -> KeptView:
    """Keep a round as a case in the folder. Raises `ConfigError`, CASE_FOLDER without a folder."""
    if folder is None:
        raise ConfigError("CASE_FOLDER")
    kept = keep_case(file.source, _round(file, body.round), folder, body.name, at_table=file.at_table)
    return KeptView(path=str(kept.feed), lines=kept.lines, lines_before=kept.lines_before)


def _round(file: StudioFile, number: int) -> PlayedRound:
    played = file.rounds.get(number)
    if played is None:
        raise ConfigError("ROUND_NOT_FOUND", round=number, last=max(file.rounds, default=0))
    return played


def baseline_view(file: StudioFile, body: BaselineBody, known: Sequence[str]) -> BaselineView:
    """Return the changes of the case's expectation by these rules. Raises `ConfigError`."""
    rounds, secret = _baseline_rounds(file, body.rules, known)
    new = new_baseline(file.source.name, rounds, secret)
    with told_in(file.source.header.currency):
        changes = [
            BaselineChangeView(
                round=one.round,
                key=one.key,
                was=_read(one.key, one.expected),
                would=_read(one.key, one.actual),
            )
            for one in new.found
        ]
    return BaselineView(changes=tuple(changes), left_out=new.left_out)


def accept_view(file: StudioFile, body: AcceptBody, known: Sequence[str], utc_us: int) -> AcceptedView:
    """Write the whole file's results by these rules as the case's expectation. Raises `ConfigError`."""
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


_WORDS_OF: Final = {"decision": "action", "outcome": "result", "status": "round_status"}
"""Facts and fields whose values are words of a closed vocabulary, and under which name their texts stand."""

AMOUNTS: Final = frozenset(("stake", "staked", "returned", "net"))
"""Fields of an expected round that are amounts in minor units."""


def _read(key: str, value: object) -> str | Money | Word:
    field = key.rpartition(".")[2]
    if field in AMOUNTS and isinstance(value, int):
        return money(value)
    if field in _WORDS_OF and f"{_WORDS_OF[field]}.{value}" in catalogue("en"):
        return Word(word=f"{_WORDS_OF[field]}.{value}")
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
