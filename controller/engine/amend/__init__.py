"""Amendments: rewrite the facts of a round that were entered wrongly, and fold the round again."""
