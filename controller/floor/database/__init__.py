"""PostgreSQL as a second keeper of the archive: the rows of its journals, in the order of their chains."""
