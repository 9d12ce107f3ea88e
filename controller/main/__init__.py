"""The root: puts configuration, devices, table and page together and runs them. May import everything.

Nothing but the command line imports it, and each command imports the module that it needs: a witness or a
list of people begins without cameras.
"""
