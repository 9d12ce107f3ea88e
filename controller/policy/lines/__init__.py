"""Each kind of line at the table: taken, refused, kept, or asked about."""
