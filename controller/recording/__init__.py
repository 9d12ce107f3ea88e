"""Recordings of the messages between devices and program: MCAP files written, and read again.

Only this package knows the format of the files. May import the journal's entries and everything below them.
"""
