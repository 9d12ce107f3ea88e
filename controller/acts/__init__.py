"""The reports of devices and the entries of people: each act with its shape and its declarations.

By topic: `round`, `rulings`, `money`, `shoe`, `desk`. `catalogue` lists all; `declaring` defines the
declarations, `permits` the vocabulary of the table of permissions. Amounts are integers in minor units,
boxes count from 1 at the dealer's left, seat 0 is the box holder, hands count from 1 in the order of splits.
May import the domain.
"""
