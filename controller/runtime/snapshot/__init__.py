"""The public views of a table: snapshots, the audit trail, the program's log."""
