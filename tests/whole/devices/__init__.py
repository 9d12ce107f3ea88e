"""The devices of a seeded table: the live table's own drivers, in front of far ends that fail by the seed.

In: a configuration, the loop, chance. Out: what the drivers report.
"""
