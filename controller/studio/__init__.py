"""The tester's screen: files of a table in, rounds to step through and where to look first out.

Nothing is stored and no file is changed. May import everything but the root and the command line.
"""
