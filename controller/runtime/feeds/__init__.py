"""A feed at the live table's own door: the lines that people and devices told, and nothing written down."""
