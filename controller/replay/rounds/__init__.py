"""Played rounds: what they can differ in, under other rules, cards or programs, and their books."""
