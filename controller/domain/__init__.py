"""Words of the table: cards, observations, rule sets, notices, errors. Standard library only."""
