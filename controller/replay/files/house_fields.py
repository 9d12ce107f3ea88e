"""The rules of a file that differ from those of its house."""

from collections.abc import Mapping
from pathlib import Path

from controller.domain import RuleSet
from controller.feed.feed_lines import FeedHeader
from controller.rules import HOUSES, load_rules

Overrides = Mapping[str, tuple[object, object]]
"""By field: what the file says, what the house has."""


def overrides_of(header: FeedHeader, rules: RuleSet, folder: Path) -> Overrides:
    """Return the fields that a header overrides with another value than the house's.

    None for a header that contains the whole house. `rules` are the file's own, `folder` is its folder.
    Raises as `load_rules`.
    """
    if header.irregularities is not None and header.rules not in HOUSES:
        return {}
    house = load_rules(header.rules, {}, folder)
    both = {field: (getattr(rules, field), getattr(house, field)) for field in header.rule_overrides}
    return {field: (says, has) for field, (says, has) in both.items() if says != has}
