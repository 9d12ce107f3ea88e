"""The table's one door and the task behind it: what comes in is decided, written, then published."""
