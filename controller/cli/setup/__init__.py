"""Commands that make a table ready, and run it."""
