"""One report of many files: played in parallel, counted, and written as text, JSON or JUnit."""
