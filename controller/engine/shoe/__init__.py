"""The shoe in the engine: what is in it, what has come out, and the table's day around it."""
