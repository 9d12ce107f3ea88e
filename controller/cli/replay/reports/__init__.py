"""One report of many files: played side by side, counted, and written as text, JSON or JUnit."""
