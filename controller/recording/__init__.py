"""What passes between devices and program in, MCAP files out, and from such files the same messages again.

Only this package knows the format of the files. May import the journal's entries and everything below them.
"""
