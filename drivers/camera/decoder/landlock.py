"""Landlock: from now on a process may do nothing with files, TCP and other processes but what is listed.

The kernel's own calls (man 7 landlock), which the C library does not have; their numbers are the same on
every architecture. A kernel before 5.13, or one that has it switched off, does not know them.
"""

import ctypes
import os
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION: Final = 1
_PATH_BENEATH, _NET_PORT = 1, 2
_NO_NEW_PRIVS: Final = 38

_WRITE_FILE, _READ_FILE, _READ_DIR, _IOCTL_DEV = 1 << 1, 1 << 2, 1 << 3, 1 << 15
_CONNECT_TCP: Final = 1 << 1

_FILE_RIGHTS: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""Every right about files that the kernel can take away, from that version on."""

_NET_VERSION, _SCOPE_VERSION = 4, 6
_NET_RIGHTS: Final = 0b11
_SCOPES: Final = 0b11
"""Abstract sockets and signals: only to processes that are confined with this one."""

_libc = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """The kernel's version of Landlock, 0 without one."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, 0, _VERSION)))


def restrict(readable: Iterable[Path], device: Path | None = None, ports: Iterable[int] | None = ()) -> None:
    """Take everything else away from this thread, and from those that it starts, for good.

    `readable` are files and folders with all that is in them; what is not there is left out. `device` may be
    opened and used. `ports` are those that a TCP connection may be made to, None for any. Raises OSError
    where the kernel cannot.
    """
    known = version()
    if not known:
        raise OSError("this kernel has no Landlock")
    files = max((rights for since, rights in _FILE_RIGHTS.items() if since <= known), default=0)
    net = _NET_RIGHTS if known >= _NET_VERSION and ports is not None else 0
    scopes = _SCOPES if known >= _SCOPE_VERSION else 0
    ruleset = _call(_CREATE_RULESET, struct.pack("<QQQ", files, net, scopes), 24, 0)
    try:
        for path in readable:
            with suppress(FileNotFoundError):
                _allow_path(ruleset, path, _READ_FILE | (_READ_DIR if path.is_dir() else 0))
        if device is not None:
            _allow_path(ruleset, device, (_READ_FILE | _WRITE_FILE | _IOCTL_DEV) & files)
        for port in (ports or ()) if net else ():
            _call(_ADD_RULE, ruleset, _NET_PORT, struct.pack("<QQ", _CONNECT_TCP, port), 0)
        if _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow_path(ruleset: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("<Qi", rights, place), 0)
    finally:
        os.close(place)


def _call(number: int, *arguments: int | bytes) -> int:
    done = int(_libc.syscall(number, *arguments))
    if done < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return done
