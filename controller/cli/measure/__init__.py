"""Commands that measure this program."""
