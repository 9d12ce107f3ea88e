"""The tester's screen: files of a table in, rounds to step through and where to look first out.

Recorded files are only read. May import everything but the root and the command line.
"""
