"""What may be seen from outside: snapshots, the audit trail, the program's log."""
