"""Facts as they come from outside: checked once, whether written as an object or as a line of a feed."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from controller.acts.catalogue import Observation
from controller.feed.codec import parse, to_json

Fact = Observation | Mapping[str, Any]
"""An object of this package, or a line of the feed format."""


def checked(fact: Fact) -> Observation:
    """The fact as the engine takes it. Raises ConfigError where a field is none of the feed format's."""
    if isinstance(fact, Mapping):
        return parse(fact)
    try:
        return _known(fact)
    except TypeError:
        # Facts have only hashable fields.
        return parse(to_json(fact))


@lru_cache(maxsize=4096, typed=True)
def _known(fact: Observation) -> Observation:
    return parse(to_json(fact))
