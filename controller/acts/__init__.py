"""What devices report and people enter: each act with its shape and all that is said of it without a table.

By topic: `round`, `rulings`, `money`, `shoe`, `desk`. `catalogue` lists all; `declaring` is what an act says
of itself, `permits` the words of the table of permissions. Amounts are integers in minor units, boxes count
from 1 at the dealer's left, seat 0 is the box holder, hands count from 1 in the order in which splits make
them. May import the domain.
"""
