"""The value of a house's rules: what a round costs its bettor, and how he loses least.

Pure: a rule set in, figures out. Knows the domain alone and nothing of the engine, so that each can be held
against the other.
"""

from controller.analyser.edge import Analysis, Deal, analyse
from controller.analyser.strategy import Strategy, StrategyRow, basic_strategy

__all__ = ["Analysis", "Deal", "Strategy", "StrategyRow", "analyse", "basic_strategy"]
