"""The whole table from a seed: real journal, door and screens; time, chance, disk and wire are the caller's.

In: a seed and how the table is opened. Out: rounds, faults that were injected, and what did not hold.
"""
