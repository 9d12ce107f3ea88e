"""The tamper-evident journal of a table: writes new entries, reads entries with a verified chain.

An append-only SQLite file; each entry contains the hash of the one before. Only this package uses SQLite.
"""
