"""Seccomp: calls that the kernel refuses this process from now on, whatever they are about.

A classic BPF program over the number of a call and its first arguments (man 2 seccomp). Landlock knows no
rights about modes and owners of files, Unix sockets, UDP and new processes.
"""

import ctypes
import errno
import os
import platform
import socket
import struct
from typing import Final

_CALLS: Final = {
    "x86_64": (
        # chmod, fchmod, fchmodat, fchmodat2; chown, fchown, lchown, fchownat;
        # utime, utimes, futimesat, utimensat
        *(90, 91, 268, 452, 92, 93, 94, 260, 132, 235, 261, 280),
        # setxattr, lsetxattr, fsetxattr, setxattrat, and the same of removexattr
        *(188, 189, 190, 463, 197, 198, 199, 466),
        # fork, vfork, execve, execveat; ptrace, process_vm_readv, process_vm_writev; mknod, mknodat
        *(57, 58, 59, 322, 101, 310, 311, 133, 259),
        # io_uring_setup, bpf, userfaultfd, perf_event_open; unshare, setns, mount; keyctl, add_key,
        # request_key
        *(425, 321, 323, 298, 272, 308, 165, 250, 248, 249),
        # pidfd_open, pidfd_getfd, pidfd_send_signal; socketpair
        *(434, 438, 424, 53),
    ),
    "aarch64": (
        *(52, 53, 452, 55, 54, 88),
        *(5, 6, 7, 463, 14, 15, 16, 466),
        *(221, 281, 117, 270, 271, 33),
        *(425, 280, 282, 241, 97, 268, 40, 219, 217, 218),
        *(434, 438, 424, 199),
    ),
}
"""Refused always, in the order of x86-64; arm64 has no calls of the old names."""

_SOCKET: Final = {"x86_64": 41, "aarch64": 198}
_CONNECTING: Final = {
    # connect, bind, listen, accept, accept4
    "x86_64": (42, 49, 50, 43, 288),
    "aarch64": (203, 200, 201, 202, 242),
}
_CLONE: Final = {"x86_64": 56, "aarch64": 220}
_CLONE3: Final = 435
_SECCOMP: Final = {"x86_64": 317, "aarch64": 277}
_ARCHITECTURE: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
_NUMBER, _ARCH, _FIRST, _SECOND = 0, 4, 16, 24
"""Places of number, architecture and the lower halves of two arguments on a little-endian machine."""

_KILL, _ERRNO = 0x80000000, 0x00050000
_THREAD: Final = 0x10000
_X32: Final = 0x40000000
_SET_FILTER, _ALL_THREADS = 1, 1
_NO_NEW_PRIVS: Final = 38

Instruction = tuple[int, int, int, int]
"""Operation, how many steps to skip where it holds and where it does not, operand."""

_ALLOW: Final[Instruction] = (_RETURN, 0, 0, 0x7FFF0000)
_REFUSE: Final[Instruction] = (_RETURN, 0, 0, _ERRNO | errno.EPERM)

_libc = ctypes.CDLL(None, use_errno=True)


def refuse_calls(*, tcp: bool = False, udp: bool = False) -> None:
    """Refuse modes, owners, new processes, and sockets but those of IP that are allowed; for good.

    A second filter adds to the first. It counts for all threads. Raises OSError where the kernel or the
    machine has none.
    """
    machine = platform.machine()
    if machine not in _ARCHITECTURE:
        raise OSError(errno.ENOSYS, "no seccomp filter for this machine")
    _install(program_of(machine, tcp=tcp, udp=udp), _SECCOMP[machine])


def program_of(machine: str, *, tcp: bool, udp: bool) -> bytes:
    """The program of a filter; see `refuse_calls`."""
    refused = [*_CALLS[machine], *(() if tcp or udp else (_SOCKET[machine], *_CONNECTING[machine]))]
    thread = [(_LOAD, 0, 0, _FIRST), (_ANY_BIT, 1, 0, _THREAD), _REFUSE, _ALLOW]
    stream = [(_LOAD, 0, 0, _SECOND), (_AND, 0, 0, 0xF), (_EQUAL, 1, 0, socket.SOCK_STREAM), _REFUSE]
    internet = [
        (_LOAD, 0, 0, _FIRST),
        (_EQUAL, 2, 0, socket.AF_INET),
        (_EQUAL, 1, 0, socket.AF_INET6),
        *(_REFUSE, *(() if udp else stream), _ALLOW),
    ]
    program: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, _ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        _REFUSE,
        # Its flags lie in memory, where no filter looks: the C library then makes threads by the older call.
        (_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        *(step for number in refused for step in ((_EQUAL, 0, 1, number), _REFUSE)),
        *((_EQUAL, 0, len(thread), _CLONE[machine]), *thread),
        *((_EQUAL, 0, len(internet), _SOCKET[machine]), *internet),
        _ALLOW,
    ]
    return b"".join(struct.pack("<HBBI", *step) for step in program)


def _install(program: bytes, call: int) -> None:
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("<H6xQ", len(program) // 8, ctypes.addressof(code))
    if _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) or _libc.syscall(call, _SET_FILTER, _ALL_THREADS, header):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
