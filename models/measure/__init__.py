"""Measurements of the card reader, for `stand17 bench reader`; each module is one section of its report."""
