"""Entries of a journal as the lines that came to the table's door, with their effects."""
