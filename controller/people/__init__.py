"""The people of a table: the people's file, PINs and staff cards, sign-ins and sessions.

In: typed ids, PINs and card numbers, with their place. Out: sessions, and their journal entries. No HTTP. May
import the table's policy, ports, validation and domain.
"""
