"""A round from its bets to its last card: who may do what, and where a card belongs."""
