"""Any file of a table as lines; a round cut out of it."""
