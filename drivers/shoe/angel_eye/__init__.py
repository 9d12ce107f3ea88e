"""The Angel Eye II-EX line protocol, sans I/O.

In: bytes of the line. Out: `ShoeEvent`s, and the bytes of allowed commands. May import the events and the
protocol of `drivers.shoe`. From the line to the table: `frames` (bytes to frames), `copies` (three copies to
one message), `messages` (a message's data to an event), `protocol` (all of it, for one shoe).
"""

from drivers.shoe.angel_eye.protocol import AngelEye, AngelEyeOptions

__all__ = ["AngelEye", "AngelEyeOptions"]
