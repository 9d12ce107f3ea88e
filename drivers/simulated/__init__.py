"""A shoe that is not there: the far end of a line and what a real Angel Eye would send over it.

In: what happens at the table (a card leaves the shoe). Out: the very bytes of the real device. Imports
nothing of the drivers: encoders and tables here are written a second time from the descriptions of the
protocols (hardware/), so that a driver that has misread one is found out. Devices that only tests need
stand in `tests/drivers/far_ends`.
"""

from drivers.simulated.angel_eye import AngelEyeShoe, PtyShoe
from drivers.simulated.lines import PtyLine, SimulatedLine
from drivers.simulated.shoe_cards import SimulatedShoeCards

__all__ = ["AngelEyeShoe", "PtyLine", "PtyShoe", "SimulatedLine", "SimulatedShoeCards"]
