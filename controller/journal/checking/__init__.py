"""The checks of a journal: its chain, what its table has signed of it, and cuts that prove themselves."""
