"""A source of pictures in a process of its own: what others send is taken apart there, not beside the table.

`source` is the `Grabber` that the camera has, `process` a decoder as the table's process sees it,
`fork_server` starts them, `child` is what runs in one, `confinement` what it may still do, `landlock` the
kernel's part of that, `shared_memory` and `messages` what passes between the two. May import the sources of
pictures.
"""

from drivers.camera.decoder.source import open_confined

__all__ = ["open_confined"]
