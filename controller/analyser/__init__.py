"""The value of a house's rules: the cost of a round for its bettor, and the strategy with the least loss.

Pure: a rule set in, figures out. Uses the domain alone and nothing of the engine, so that each can verify the
other.
"""

from controller.analyser.edge import Analysis, Deal, Strategy, StrategyRow, analyse, basic_strategy

__all__ = ["Analysis", "Deal", "Strategy", "StrategyRow", "analyse", "basic_strategy"]
