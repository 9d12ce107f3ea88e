"""`stand17 bench`: figures of this program beside others, measured in one run on this machine."""
