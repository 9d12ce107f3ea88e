"""The engine's notices on a fact as journal entries: stored as evidence, derived again to verify it."""

from typing import Final, NamedTuple

from controller.domain import Adjusted, Alert, Disputed, Notice, Refused, Settled
from controller.feed.json_report import notice_json
from controller.journal.upcast import Body

_KINDS: Final[dict[type[Notice], str]] = {
    Alert: "alert",
    Settled: "settled",
    Adjusted: "adjusted",
    Disputed: "disputed",
    Refused: "refused",
}


class Evidence(NamedTuple):
    """One notice as kind and body of an entry."""

    kind: str
    body: Body


def evidence_of(notice: Notice) -> Evidence:
    """Write a notice as the feed format prints it."""
    return Evidence(_KINDS[type(notice)], notice_json(notice))
