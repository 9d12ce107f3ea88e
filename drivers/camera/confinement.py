"""What the process that decodes pictures may still do: as little as its source needs.

Landlock (man 7 landlock) takes files, TCP and other processes away. The C library has no functions for its
calls, whose numbers are the same on every architecture. A kernel before 5.13, or one without it, refuses
them. Seccomp (man 2 seccomp) refuses calls by a BPF program over their number and first arguments: Landlock
has no rights about modes and owners of files, Unix sockets, UDP and new processes.
"""

import ctypes
import errno
import os
import platform
import resource
import signal
import socket
import ssl
import struct
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import cv2

from drivers.camera.sources import SourceKind

_libc = ctypes.CDLL(None, use_errno=True)
_NO_NEW_PRIVS: Final = 38

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION: Final = 1
_PATH_BENEATH, _NET_PORT = 1, 2

_WRITE_FILE, _READ_FILE, _READ_DIR, _IOCTL_DEV = 1 << 1, 1 << 2, 1 << 3, 1 << 15
_CONNECT_TCP: Final = 1 << 1

_FILE_RIGHTS: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""Every right about files that the kernel can take away, from that version on."""

_NET_VERSION, _SCOPE_VERSION = 4, 6
_NET_RIGHTS: Final = 0b11
_SCOPES: Final = 0b11
"""Abstract sockets and signals: only to processes that are confined with this one."""


def landlock_version() -> int:
    """The kernel's version of Landlock, 0 without one."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, 0, _VERSION)))


def _restrict_files(
    readable: Iterable[Path], device: Path | None = None, ports: Iterable[int] | None = ()
) -> None:
    """Take everything else away from this thread, and from those that it starts, for good.

    `readable` are files and folders with all that is in them; what is not there is left out. `device` may be
    opened and used. `ports` are those that a TCP connection may be made to, None for any. Raises OSError
    where the kernel cannot.
    """
    known = landlock_version()
    if not known:
        raise OSError("this kernel has no Landlock")
    files = max((rights for since, rights in _FILE_RIGHTS.items() if since <= known), default=0)
    net = _NET_RIGHTS if known >= _NET_VERSION and ports is not None else 0
    scopes = _SCOPES if known >= _SCOPE_VERSION else 0
    ruleset = _call(_CREATE_RULESET, struct.pack("<QQQ", files, net, scopes), 24, 0)

    def allow(path: Path, rights: int) -> None:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            _call(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("<Qi", rights, place), 0)
        finally:
            os.close(place)

    try:
        for path in readable:
            with suppress(FileNotFoundError):
                allow(path, _READ_FILE | (_READ_DIR if path.is_dir() else 0))
        if device is not None:
            allow(device, (_READ_FILE | _WRITE_FILE | _IOCTL_DEV) & files)
        for port in (ports or ()) if net else ():
            _call(_ADD_RULE, ruleset, _NET_PORT, struct.pack("<QQ", _CONNECT_TCP, port), 0)
        _gain_no_privileges()
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _gain_no_privileges() -> None:
    """Promise the kernel that no program which this process starts gains any right: both ask for it."""
    if _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def _call(number: int, *arguments: int | bytes) -> int:
    done = int(_libc.syscall(number, *arguments))
    if done < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return done


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

_Instruction = tuple[int, int, int, int]
"""Operation, how many steps to skip where it holds and where it does not, operand."""

_ALLOW: Final[_Instruction] = (_RETURN, 0, 0, 0x7FFF0000)
_REFUSE: Final[_Instruction] = (_RETURN, 0, 0, _ERRNO | errno.EPERM)


def _refuse_calls(*, tcp: bool = False, udp: bool = False) -> None:
    """Refuse modes, owners, new processes, and sockets but those of IP that are allowed; for good.

    A second filter adds to the first. It counts for all threads. Raises OSError where the kernel or the
    machine has none.
    """
    machine = platform.machine()
    if machine not in _ARCHITECTURE:
        raise OSError(errno.ENOSYS, "no seccomp filter for this machine")
    program = program_of(machine, tcp=tcp, udp=udp)
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("<H6xQ", len(program) // 8, ctypes.addressof(code))
    _gain_no_privileges()
    _call(_SECCOMP[machine], _SET_FILTER, _ALL_THREADS, header)


def program_of(machine: str, *, tcp: bool, udp: bool) -> bytes:
    """The program of a filter; see `_refuse_calls`."""
    refused = [*_CALLS[machine], *(() if tcp or udp else (_SOCKET[machine], *_CONNECTING[machine]))]
    thread = [(_LOAD, 0, 0, _FIRST), (_ANY_BIT, 1, 0, _THREAD), _REFUSE, _ALLOW]
    stream = [(_LOAD, 0, 0, _SECOND), (_AND, 0, 0, 0xF), (_EQUAL, 1, 0, socket.SOCK_STREAM), _REFUSE]
    internet = [
        (_LOAD, 0, 0, _FIRST),
        (_EQUAL, 2, 0, socket.AF_INET),
        (_EQUAL, 1, 0, socket.AF_INET6),
        *(_REFUSE, *(() if udp else stream), _ALLOW),
    ]
    program: list[_Instruction] = [
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


_MEMORY_BYTES: Final = 1536 << 20
"""Room beyond what it begins with: H.264 of 4K over 16 threads takes a third of it."""

FILES_MAX: Final = 64
"""Open files, until no more are needed."""

_CPU_S: Final = 30
"""Processor time for one picture; all threads together."""

_DEATH_SIGNAL: Final = 1
_PORTS: Final = {"http": 80, "https": 443, "rtsp": 554}
_SYSTEM: Final = ("/usr", "/lib", "/lib64", "/sys/devices/system/cpu", "/dev/urandom")
_NAMES: Final = ("hosts", "resolv.conf", "nsswitch.conf", "host.conf", "gai.conf")


def die_with(parent: int) -> None:
    """Have the kernel kill this process when the one that started it ends."""
    _libc.prctl(_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def confine(kind: SourceKind, source: str, *, widened: bool) -> bool:
    """Take away what this kind of source does not need; True where Landlock and seccomp both help.

    No core, no file written, bounded memory and files; the first to go where memory runs out. `widened`: the
    house has given FFmpeg options of its own, and other ports may be asked. To be called before there is a
    second thread.
    """
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    room = pages * resource.getpagesize() + _MEMORY_BYTES
    limits = ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_AS, room))
    for limit, most in (*limits, (resource.RLIMIT_NOFILE, FILES_MAX)):
        resource.setrlimit(limit, (most, most))
    grant_time()
    # It looks at the machine once, and could not any more.
    cv2.getNumberOfCPUs()
    path = Path(f"/dev/video{source}" if source.isdigit() else source)
    device = path.resolve() if kind == "device" else None
    readable = [*_readable(), *([path] if kind in {"file", "folder"} else ())]
    ports: tuple[int, ...] | None = ()
    tcp = udp = kind == "stream"
    if kind == "stream":
        readable += _network_files()
        parts = urlsplit(source)
        with suppress(ValueError):
            port = parts.port or _PORTS.get(parts.scheme)
            ports = () if port is None else (port,)
        with suppress(ValueError):
            ip_address(parts.hostname or "")
            # Pictures come by datagrams, or a name has to be looked up.
            udp = widened or parts.scheme not in {"http", "https"}
        ports = None if widened else ports
    steps: tuple[Callable[[], None], ...] = (
        partial(_restrict_files, readable, device, ports),
        partial(_refuse_calls, tcp=tcp, udp=udp),
    )
    helped = 0
    for step in steps:
        with suppress(OSError):
            step()
            helped += 1
    return helped == len(steps)


def open_no_more() -> None:
    """Have the kernel refuse every further file and socket; those that are open go on."""
    with suppress(OSError):
        _refuse_calls()
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def grant_time() -> None:
    """Allow processor time for one more picture; what takes longer is killed by the kernel."""
    used_s = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (used_s + _CPU_S, hard))


def _readable() -> Iterator[Path]:
    """Programs and libraries: nothing there is a secret, and some of it is loaded late."""
    yield from map(Path, _SYSTEM)
    yield from (Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    yield Path(cv2.__file__).parent


def _network_files() -> Iterator[Path]:
    """What turns a name into an address, and the certificates of those who are trusted."""
    yield from (Path("/etc") / name for name in _NAMES)
    yield Path("/run/systemd/resolve")
    trusted = ssl.get_default_verify_paths()
    yield from (Path(place) for place in {*trusted} if place and "/" in place)
    yield from (Path(os.environ[name]) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name))
