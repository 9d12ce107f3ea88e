"""Prompts: a snapshot of the table in, the dealer's next act with its keys out."""
