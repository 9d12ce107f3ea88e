"""Incidents played through the live table's own door: at which card or round each is reported."""

import json
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.feed.feed_table import play_table
from controller.feed.replay import to_lines
from controller.feed.table_script import open_table_script
from controller.simulation.incidents import Incident, IncidentFeed, header, incident_feed, incidents

ASKED_ANYHOW: Final = frozenset(("COUNT_DUE",))
"""What a table says of a clean feed as well: the count that the house wants."""


class Account(NamedTuple):
    """What a table said of an incident: at which line of the feed, and after how much of what was wrong.

    `cards` were dealt and `rounds` begun from where the feed differs from its clean twin; `line` is 0 where
    nothing was said. `twin` is what was said of the clean one.
    """

    incident: Incident
    code: str
    line: int
    cards: int
    rounds: int
    twin: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the incident is reported as it should be, and nothing is said of its twin."""
        return self.code == self.incident.expect and not self.twin


def accounts(seed: int) -> tuple[Account, ...]:
    """Play every incident and its twin."""
    return tuple([_account(incident, seed) for incident in incidents()])


def _account(incident: Incident, seed: int) -> Account:
    guilty, clean = (incident_feed(incident, seed, guilty=entered) for entered in (True, False))
    first = next(iter(reported(guilty)), None)
    twin = tuple([str(line["code"]) for line in reported(clean)])
    if first is None:
        return Account(incident, "", 0, 0, 0, twin)
    # The header is line 1.
    until = guilty.lines[guilty.begins : first["line"] - 1]
    dealt = sum(line["obs"] == "card" for line in until)
    rounds = sum(line["obs"] == "end" for line in until) + 1
    return Account(incident, str(first["code"]), int(first["line"]), dealt, rounds, twin)


def feed_of(written: IncidentFeed) -> bytes:
    """The feed, header first."""
    lines: Iterable[dict[str, Any]] = ({**header(), "table_options": written.options}, *written.lines)
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def reported(written: IncidentFeed) -> list[dict[str, Any]]:
    """What the table says of a feed beside its rounds: alerts, holds, refusals."""
    script = open_table_script(BytesIO(feed_of(written)), Path())
    known = [line for played in play_table(script) for line in to_lines(played, "", lambda code, _: code)]
    quiet = ("round", "summary", "inferred", "released")
    return [line for line in known if line["type"] not in quiet and line["code"] not in ASKED_ANYHOW]
