"""What the pit rules about a round, and what was entered wrongly put right: the round is folded anew."""
