"""What the dealer has to do now: a snapshot of the table in, the one line and the keys for it out."""
