"""Small programs for working on the repository; nothing here runs at a table."""
