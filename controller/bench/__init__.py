"""`stand17 bench`: options of a measurement in, figures of this program beside others out, of one run.

May import the table and the drivers, simulated ones too; nothing imports it but the command line.
"""
