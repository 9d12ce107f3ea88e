"""Training, export and evaluation of the card reader; not needed to run it."""
