"""The tamper-evident journal of a table: an append-only SQLite file whose entries are chained by hash."""
