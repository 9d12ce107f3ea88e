"""The composition root: the one place that knows every part of a table."""

from controller.main.compose import Setting, run_table

__all__ = ["Setting", "run_table"]
