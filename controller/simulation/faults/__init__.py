"""Faults that the demo shows on purpose: each happens where it would at a real table, and is mended.

Devices misread or lose their cable, hands lay a card at the wrong box, the dealer presses the wrong key. The
journal hears of it by the same ways as ever.
"""
