"""The process that starts decoders: it has loaded all that they need, and nothing of the table.

Loading Python and OpenCV takes a third of a second of processor time; a camera that is away is tried for
ever, and one that comes back should be there at once. A copy of this process is there in some milliseconds.
It reads nothing that others have sent.
"""

import os
import signal
import socket
import sys

from drivers.camera.decoder.child import run

HANDED: int = 3
"""Descriptors of each decoder: the two lines and the memory."""


def serve(control: socket.socket) -> None:
    """Start a decoder for each message with its descriptors; ends when the table's process hangs up."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        message, handed, _, _ = socket.recv_fds(control, 1, HANDED)
        if not message:
            return
        pid = _start(handed, control)
        _answer(pid, control)
        for descriptor in handed:
            os.close(descriptor)


def _start(handed: list[int], control: socket.socket) -> int:
    """Become two; the copy serves one source and ends."""
    own = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    control.close()
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        run(own, *handed)
    finally:
        os._exit(0)


def _answer(pid: int, control: socket.socket) -> None:
    """Hand over what the decoder can be killed by: a process number could be another one's by then."""
    number = str(pid).encode()
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        control.send(number)
        return
    socket.send_fds(control, [number], [handle])
    os.close(handle)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
