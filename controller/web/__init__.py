"""HTTP for the screens of one table: requests, sockets and sign-ins in, views and answers out.

May import the screens and everything below them. It chooses nothing that is shown and has no rule.
"""
