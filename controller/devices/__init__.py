"""Devices as the table meets them: configuration and drivers in, reports for the table's inbox out.

May import the drivers, the card reader, the runtime and everything below them; never screens or web.
"""
