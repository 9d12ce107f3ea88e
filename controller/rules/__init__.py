"""Rule files in, checked rule sets out: the houses as data, and files of one's own.

May import domain.
"""

from controller.rules.loading import (
    HOUSES,
    RuleFile,
    deciding_rules,
    load_file,
    load_rules,
    overridden_file,
    with_overrides,
)

__all__ = [
    "HOUSES",
    "RuleFile",
    "deciding_rules",
    "load_file",
    "load_rules",
    "overridden_file",
    "with_overrides",
]
