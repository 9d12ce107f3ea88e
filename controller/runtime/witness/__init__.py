"""The readings of cameras and shoe, compared with the table."""
