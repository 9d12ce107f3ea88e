"""Faults planted in a shift as a table would record it, and where the tester's screen leads for each."""
