"""The reader's tuned numbers and what a tenth more or less of each does."""
