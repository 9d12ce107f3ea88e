"""The shoe: its contents, the cards dealt from it, and the table's day."""
