"""The demo's simulated table: a seed in, cards from a shoe, pictures of a felt and acts of people out.

May import the table, its screens and devices; nothing imports it but the command line.
"""
