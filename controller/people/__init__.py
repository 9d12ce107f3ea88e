"""Who works at a table: the people's file, PINs and staff cards, sign-ins and sessions.

In: what people type or hold to a reader, and where they stand. Out: sessions, and what the journal notes of
them. Knows nothing of HTTP. May import the table's policy, ports, validation and domain.
"""
