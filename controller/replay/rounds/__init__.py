"""Played rounds: their comparison under other rules, cards or programs, and their books."""
