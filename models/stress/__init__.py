"""Drawn stress runs of the reader: fonts and decks that training never saw, every card known.

Silent errors can so be counted in numbers that photographs do not give; but drawn faults are only the faults
that we thought of.
"""
