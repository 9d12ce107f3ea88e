"""Recorded bytes and pictures in place of a device: the driver cannot tell the difference.

In: what a recording holds. Out: `ReplayLine` and `ReplayPictures`, whose `connect` is given to a line driver
or a camera and whose `opens`, `fails`, `breaks` and `receives` let happen what was recorded;
`recorded_pictures`, a `Grabber` that plays a camera's pictures by itself. May import the camera's types and
the reader of recordings.
"""

from drivers.replay.clock import ReplayClock
from drivers.replay.devices import ReplayDevice, ReplayLine, ReplayPictures
from drivers.replay.recorded_pictures import recorded_pictures

__all__ = ["ReplayClock", "ReplayDevice", "ReplayLine", "ReplayPictures", "recorded_pictures"]
