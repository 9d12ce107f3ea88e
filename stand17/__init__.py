"""A blackjack table for programs: facts go in, what the house's rules make of them comes out.

`Table` is the engine of the live table without devices, screens or files; docs/library.md shows it at
work. Everything else in this distribution is the application and may change at any release.
"""

from controller.acts.catalogue import (
    Bet,
    Close,
    Correct,
    CutCard,
    Decision,
    End,
    EvenMoney,
    Insurance,
    InsuranceClosed,
    Move,
    Observation,
    Peek,
    Reveal,
    Strike,
    Void,
)
from controller.acts.catalogue import CardSeen as Card
from controller.acts.catalogue import ShoeLoaded as Shoe
from controller.domain.errors import ConfigError
from controller.domain.notices import Adjusted, Alert, Disputed, RoundResult, Settled
from controller.domain.rules import RuleSet
from controller.engine import Expected
from controller.rules import HOUSES
from stand17.packs import card, pack
from stand17.refusal import RuleBroken
from stand17.table import Table
from stand17.views import DealerView, HandView

__all__ = [
    "HOUSES",
    "Adjusted",
    "Alert",
    "Bet",
    "Card",
    "Close",
    "ConfigError",
    "Correct",
    "CutCard",
    "DealerView",
    "Decision",
    "Disputed",
    "End",
    "EvenMoney",
    "Expected",
    "HandView",
    "Insurance",
    "InsuranceClosed",
    "Move",
    "Observation",
    "Peek",
    "Reveal",
    "RoundResult",
    "RuleBroken",
    "RuleSet",
    "Settled",
    "Shoe",
    "Strike",
    "Table",
    "Void",
    "card",
    "pack",
]
