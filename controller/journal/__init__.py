"""The tamper-evident journal of a table: new entries in, entries whose chain was checked out.

An append-only SQLite file; each entry carries the hash of the one before. Only this package knows SQLite.
"""
