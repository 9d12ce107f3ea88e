"""What came to a table's door, in order of arrival: the lines of a feed for `replay --table`.

A feed for the plain replay has the facts as the engine took them. Here a card that waited stands where it
came, and what came although the table could not take it (the table cleared over an incomplete round, a
card turned too early) stands where it held the table.
"""

from typing import Final, NamedTuple

from controller.acts.catalogue import Bet, CardSeen, End, Observation, RestCard, Reveal
from controller.feed.codec import parse
from controller.feed.feed_lines import FeedLine
from controller.journal.upcast import Body
from controller.replay.history.entered_by import signed

DEALER: Final = "dealer:replay"
"""Of a line that was no fact the journal does not say who reported it."""

CLEARED: Final = frozenset({"ROUND_INCOMPLETE", "DEALER_STOOD_ON_16"})
"""Holds that the table's clearing over an incomplete round begins."""


class HistoryEntry(NamedTuple):
    """What a history needs of a journal entry; `t` is seconds since the beginning."""

    seq: int
    kind: str
    actor: str
    caused_by: int | None
    t: float


class DoorLines:
    """Gathers the lines of entries given in order; `first` is the number of the first one.

    With `first` None a line has the number of its entry.
    """

    def __init__(self, first: int | None) -> None:
        """Begin without lines."""
        self._first = first
        self._waited: set[int] = set()
        self.lines: Final[list[FeedLine]] = []
        """The lines so far."""

    def take(self, entry: HistoryEntry, body: Body, observation: Observation | None) -> FeedLine | None:
        """The line that came to the door with this entry; None where none did.

        `observation` is that of a fact.
        """
        if entry.kind == "waiting":
            self._waited.add(entry.seq)
        elif entry.kind != "ruled" and entry.caused_by in self._waited:
            return None
        found = _came_as(observation) if observation is not None else _no_fact(entry.kind, body)
        if found is None:
            return None
        number = entry.seq if self._first is None else self._first + len(self.lines)
        line = signed(FeedLine(number, entry.t, found), DEALER if entry.kind == "held" else entry.actor)
        self.lines.append(line)
        return line


def _came_as(observation: Observation) -> Observation:
    """What came to the door as this fact: a reader knows nothing of a count, it tells a card."""
    if isinstance(observation, RestCard) and not observation.out:
        return CardSeen(observation.rank, observation.suit)
    return observation


def _no_fact(kind: str, body: Body) -> Observation | None:
    """What was reported without becoming a fact; None for an entry that nothing came to the door for."""
    if kind == "waiting":
        return parse(body)
    if kind in ("refused", "ruled"):
        return parse(body["obs" if kind == "refused" else "ruling"])
    return _held_by(body) if kind == "held" and "about" in body else None


def _held_by(body: Body) -> Observation | None:
    """The line that the table was held over instead of taking it."""
    code, params = body["code"], body["params"]
    if code in CLEARED and not body["about"]["fault"]:
        return End()
    if code == "HOLE_CARD_EXPOSED" and params.get("turned"):
        return Reveal()
    if code == "STAKE_CHANGED":
        return Bet(params["box"], params["seat"], params["stake"])
    return None
