"""Journals and recordings in, the rounds that they lead to and what differs from what was kept out.

They go through the live table's own code. May import drivers, devices, runtime and all below.
"""
