"""Words of the table, for all packages: cards, rule sets, notices, money, errors.

Imports the standard library only, and of that nothing that knows time, chance, files or threads.
"""
