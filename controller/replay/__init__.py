"""What was kept, played again: journals entry by entry, recordings byte by byte."""
