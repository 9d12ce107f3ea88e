"""The door of the table and its task: each item is decided, written, then published."""
