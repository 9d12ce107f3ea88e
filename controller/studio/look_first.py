"""Where to look first in a file that nobody has the truth of: what held, was ruled, inferred or unclear."""

from collections.abc import Iterator, Sequence
from typing import Final, get_args

from controller.domain.notices import Refused
from controller.domain.observations import CardSeen, Ruling
from controller.engine.state import TableState
from controller.feed.codec import NAMES
from controller.feed.replay import PlayedNotice
from controller.replay.round_facts import complaint_of
from controller.replay.told_troubles import ToldTrouble
from controller.runtime.api import Params
from controller.runtime.redaction import TELLTALE, TOO_MANY, names_unturned
from controller.screens.texts import say, told
from controller.screens.view_values import Words
from controller.studio.bodies import Finding
from controller.studio.studio_step import StudioStep
from controller.table.effects import Held, Inferred

WEIGHTS: Final = {"dispute": 6, "hold": 5, "alert": 4, "refused": 2}
RULING: Final = 4
UNREAD: Final = 3
INFERRED: Final = 1
RULINGS: Final = get_args(Ruling)

UNSURE: Final = 1
UNSURE_MOST: Final = 20
"""So many of the least certain reads of a file are named: the next ones are as sure as most."""

UNSURE_BELOW: Final = 0.999
"""A read from here on is not named, however few there are below: the reader's own limit of a certain card."""


def findings_of(steps: Sequence[StudioStep]) -> list[Finding]:
    """Everything worth a look, the round with most weight first, in a round in order of time."""
    unsure = _unsure(steps)
    found = [finding for at, step in enumerate(steps) for finding in _findings(at, step)]
    found += [Finding(step=at, round=steps[at].round, weight=UNSURE, text=text) for at, text in unsure]
    heavy: dict[int, int] = {}
    for finding in found:
        heavy[finding.round] = heavy.get(finding.round, 0) + finding.weight
    return sorted(found, key=lambda one: (-heavy[one.round], one.round, one.step))


def _unsure(steps: Sequence[StudioStep]) -> Iterator[tuple[int, Words]]:
    """The least certain reads, none of a round that keeps a card back: how sure one was may tell it."""
    reads = [
        (step.taken.line.obs.p, at)
        for at, step in enumerate(steps)
        if isinstance(step.taken.line.obs, CardSeen) and step.taken.line.obs.p is not None and not step.secret
    ]
    for p, at in sorted(reads)[:UNSURE_MOST]:
        if p < UNSURE_BELOW:
            yield at, say("studio.unsure", percent=f"{p * 100:.2f}")


def _findings(at: int, step: StudioStep) -> Iterator[Finding]:
    line, number, secret = step.taken.line, step.round, step.secret
    if isinstance(line.obs, RULINGS):
        yield Finding(
            step=at, round=number, weight=RULING, text=say("studio.ruled", what=NAMES[type(line.obs)])
        )
    # That the card that was never turned could not be read tells nothing of it.
    if isinstance(line.obs, CardSeen) and line.obs.rank is None:
        yield Finding(step=at, round=number, weight=UNREAD, text=say("studio.unread"))
    for notice in step.notices:
        words = words_of(notice, step.state, secret=secret)
        if words is not None:
            yield Finding(step=at, round=number, weight=_weight(notice), text=words)
    for trouble in step.troubles:
        words = trouble_words(trouble, step.state, secret=secret)
        if words is not None:
            yield Finding(step=at, round=number, weight=WEIGHTS[trouble.kind], text=words)


def trouble_words(trouble: ToldTrouble, state: TableState, *, secret: bool) -> Words | None:
    """What the table held or warned for by itself; `state` is the table then.

    None while `secret` where it could name a card, and where it counts one that was never turned.
    """
    if (secret and trouble.names_cards) or _counts_unturned(trouble.code, trouble.params, state):
        return None
    return told(trouble.kind, trouble.code, trouble.params)


def _weight(notice: PlayedNotice) -> int:
    name = complaint_of(notice)
    return INFERRED if name is None else WEIGHTS[name.kind]


def _counts_unturned(code: str, params: Params, state: TableState) -> bool:
    """Whether it is told only because a card of an earlier round is counted that was never turned."""
    return code in TOO_MANY and names_unturned(state, params)


def words_of(notice: PlayedNotice, state: TableState, *, secret: bool) -> Words | None:
    """What a notice says, without what would name a card while `secret`; `state` is the table after it.

    None where nothing is wrong, and where a card is counted that was never turned.
    """
    if isinstance(notice, Inferred):
        return say("studio.inferred", what=notice.what, box=notice.box)
    name = complaint_of(notice)
    if name is None:
        return None
    raw = notice.hold.params if isinstance(notice, Held) else getattr(notice, "params", ())
    if _counts_unturned(name.code, tuple(raw), state):
        return None
    params = [(key, value) for key, value in raw if not (secret and key in TELLTALE)]
    if isinstance(notice, Refused):
        return told("refused", name.code, params)
    return told("hold" if isinstance(notice, Held) else "alert", name.code, params)
