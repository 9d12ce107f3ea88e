"""A table as its policy knows it: what holds, which cards wait, chips, payouts, a house's options."""
