"""Entries of a journal as what once came to the table's door, and what followed from it."""
