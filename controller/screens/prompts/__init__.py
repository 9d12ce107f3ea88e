"""What the dealer is told to do now: the table's snapshot in, the one line and the keys that answer it out."""
