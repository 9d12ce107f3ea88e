"""The table as it stood at an entry, kept beside the journal so that a start folds only what came after."""
