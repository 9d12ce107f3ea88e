"""The dealer rules engine: pure functions over immutable state, no I/O, clock, logging or randomness."""
