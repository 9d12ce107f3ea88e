"""The demo's simulated table: a shoe with real cards in it, a felt, and people who play on it."""
