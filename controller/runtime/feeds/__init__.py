"""A feed at the live table's own door: what people and devices reported, and nothing written down."""
