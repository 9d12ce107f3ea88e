"""Where to look first in a file that nobody has the truth of: what held, was ruled, inferred or unclear."""

from collections.abc import Iterable, Iterator
from typing import Final, get_args

from controller.domain.notices import Refused
from controller.domain.observations import CardSeen, Ruling
from controller.feed.codec import NAMES
from controller.feed.reading import FeedLine
from controller.feed.replay import PlayedNotice
from controller.replay.round_facts import complaint_of
from controller.runtime.redaction import TELLTALE
from controller.screens.texts import say, told
from controller.screens.view_values import Words
from controller.studio.bodies import Finding
from controller.table.effects import Held, Inferred

WEIGHTS: Final = {"dispute": 6, "hold": 5, "alert": 4, "refused": 2}
RULING: Final = 4
UNREAD: Final = 3
INFERRED: Final = 1
RULINGS: Final = get_args(Ruling)

Told = tuple[FeedLine, int, tuple[PlayedNotice, ...], bool]
"""A line, its round, what followed from it, and whether its round has a card that was never turned."""


def findings_of(steps: Iterable[Told]) -> list[Finding]:
    """Everything worth a look, the round with most weight first, in a round in order of time."""
    found = [finding for at, step in enumerate(steps) for finding in _findings(at, step)]
    heavy: dict[int, int] = {}
    for finding in found:
        heavy[finding.round] = heavy.get(finding.round, 0) + finding.weight
    return sorted(found, key=lambda one: (-heavy[one.round], one.round, one.step))


def _findings(at: int, step: Told) -> Iterator[Finding]:
    line, number, notices, secret = step
    if isinstance(line.obs, RULINGS):
        yield Finding(
            step=at, round=number, weight=RULING, text=say("studio.ruled", what=NAMES[type(line.obs)])
        )
    # That the card that was never turned could not be read tells nothing of it.
    if isinstance(line.obs, CardSeen) and line.obs.rank is None:
        yield Finding(step=at, round=number, weight=UNREAD, text=say("studio.unread"))
    for notice in notices:
        words = words_of(notice, secret=secret)
        if words is not None:
            yield Finding(step=at, round=number, weight=_weight(notice), text=words)


def _weight(notice: PlayedNotice) -> int:
    name = complaint_of(notice)
    return INFERRED if name is None else WEIGHTS[name.kind]


def words_of(notice: PlayedNotice, *, secret: bool) -> Words | None:
    """What a notice says, without what would name a card while `secret`; None where nothing is wrong."""
    if isinstance(notice, Inferred):
        return say("studio.inferred", what=notice.what, box=notice.box)
    name = complaint_of(notice)
    if name is None:
        return None
    raw = notice.hold.params if isinstance(notice, Held) else getattr(notice, "params", ())
    params = [(key, value) for key, value in raw if not (secret and key in TELLTALE)]
    if isinstance(notice, Refused):
        return told("refused", name.code, params)
    return told("hold" if isinstance(notice, Held) else "alert", name.code, params)
