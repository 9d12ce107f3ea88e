"""Own renderer of cards and tables: training data, tests and the demo's camera picture."""
