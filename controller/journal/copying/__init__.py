"""The journal written once more, elsewhere: an append-only file, and the way back from it to a journal."""
