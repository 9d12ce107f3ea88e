"""Rule files in, checked rule sets out: the five houses as data, and files of one's own.

May import domain.
"""

from controller.rules.loading import HOUSES, RuleFile, load_file, load_rules, with_overrides

__all__ = ["HOUSES", "RuleFile", "load_file", "load_rules", "with_overrides"]
