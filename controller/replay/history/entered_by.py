"""Who reported a line of an exported feed, in the form that a replay at the table's door reads."""

from typing import Final

from controller.acts.catalogue import CardSeen, Correct, Decision, DeviceSeen, End, Observation, Reveal
from controller.feed.feed_lines import FeedLine
from controller.policy.state.line_person import person_named

PEOPLE: Final = ("dealer", "pit")
SECOND: Final = "pit"
"""Who signs with somebody is of the pit."""


def signed(line: FeedLine, actor: str) -> FeedLine:
    """The line of an entry by this actor, with who reported it and who signed with him."""
    return line._replace(by=by_of(actor, line.obs), second=second_of(line.obs))


def by_of(actor: str, observation: Observation) -> str:
    """The `by` of a line: of a card the source that it names, else the entry's actor.

    A journal's actor is `role:name`. A device is a camera where it tells what the felt alone shows, else it
    stands for the shoe, as it does at the live door; that one came or went the system tells.
    """
    named = observation.by if isinstance(observation, CardSeen) else None
    if named is not None and person_named(named) is not None:
        return named
    if isinstance(observation, DeviceSeen):
        return "system"
    role, _, name = actor.partition(":")
    if role in PEOPLE:
        return f"{role}:{name}" if name else role
    if role != "device":
        return "system"
    return f"camera:{name}" if name and is_seen_on_felt(observation) else "shoe"


def is_seen_on_felt(observation: Observation) -> bool:
    """Whether a camera over the felt has reported this: no shoe knows where its card goes."""
    if isinstance(observation, CardSeen):
        return observation.to is not None
    return isinstance(observation, Decision | Reveal | End | Correct)


def second_of(observation: Observation) -> str | None:
    """The second person of a ruling, with the role that he signs in."""
    second: str | None = getattr(observation, "second", None)
    if second is None or person_named(second) is not None:
        return second
    return f"{SECOND}:{second}"
