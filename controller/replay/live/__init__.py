"""A recording's bytes and pictures through the live table's drivers once more."""
