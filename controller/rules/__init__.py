"""Rule files in, checked rule sets out: the five houses as data, and files of one's own.

May import domain.
"""

from controller.rules.deciding import deciding_rules
from controller.rules.loading import HOUSES, RuleFile, load_file, load_rules, overridden_file, with_overrides

__all__ = [
    "HOUSES",
    "RuleFile",
    "deciding_rules",
    "load_file",
    "load_rules",
    "overridden_file",
    "with_overrides",
]
