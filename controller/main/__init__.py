"""The root: puts configuration, devices, table and page together and runs them. May import everything.

Nothing but the command line imports it. `compose` runs a table; it loads every part of the program, so the
commands that need one part import that part.
"""
