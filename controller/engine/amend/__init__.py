"""What was entered wrongly is put right: the facts of a round are folded anew."""
