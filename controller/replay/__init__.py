"""Replay of journals and recordings: the rounds that they lead to, and the differences from the originals.

Uses the live table's own code. May import drivers, devices, runtime and all below.
"""
