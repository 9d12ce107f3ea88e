"""The five houses as data, and reading a rule file of one's own."""

from controller.rules.loading import HOUSES, RuleFile, load_file, load_rules, with_overrides

__all__ = ["HOUSES", "RuleFile", "load_file", "load_rules", "with_overrides"]
