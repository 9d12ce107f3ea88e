"""What devices report and people enter: a file an act, with all that can be said of it without a table.

Its shape, its name in feed and journal, who may do it and when, who signs with him, which way out of a hold
it is; `catalogue` lists all. Amounts are integers in minor units, boxes count from 1 at the dealer's left,
seat 0 is the box holder, hands count from 1 in the order in which splits make them. May import the domain.
"""
