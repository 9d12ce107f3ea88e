"""A source of pictures in a process of its own: bytes from outside are decoded there, not beside the table.

`source` is the table's side, `child` the other one, `messages` what passes between them, `confinement` what
the other one may still do.
"""

from drivers.camera.decoder.source import open_confined

__all__ = ["open_confined"]
