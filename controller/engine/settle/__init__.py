"""Settlement: each bettor's return, and the status of the round."""
