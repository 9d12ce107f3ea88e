"""What the process that takes pictures apart may still do: as little as its source needs."""

import ctypes
import os
import resource
import signal
import ssl
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import cv2

from drivers.camera.decoder import landlock, seccomp
from drivers.camera.sources import SourceKind

MEMORY_BYTES: Final = 1536 << 20
"""Room beyond what it begins with: H.264 of 4K over 16 threads takes a third of it."""

FILES_MAX: Final = 64
"""Open files, until no more are needed."""

CPU_S: Final = 30
"""Processor time for one picture; all threads together."""

_DEATH_SIGNAL: Final = 1
_PORTS: Final = {"http": 80, "https": 443, "rtsp": 554}
_SYSTEM: Final = ("/usr", "/lib", "/lib64", "/sys/devices/system/cpu", "/dev/urandom")
_NAMES: Final = ("hosts", "resolv.conf", "nsswitch.conf", "host.conf", "gai.conf")

_libc = ctypes.CDLL(None, use_errno=True)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when the one that started it ends."""
    _libc.prctl(_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def confine(kind: SourceKind, source: str, *, widened: bool) -> bool:
    """Take away what this kind of source does not need; True where Landlock and seccomp both help.

    `widened`: the house has given FFmpeg options of its own, and other ports may be asked. To be called
    before there is a second thread.
    """
    _limit()
    # They look at the machine once, and could not any more.
    cv2.getNumberOfCPUs()
    ports = None if widened else tuple(_port(source)) if kind == "stream" else ()
    path = Path(f"/dev/video{source}" if source.isdigit() else source)
    device = path.resolve() if kind == "device" else None
    readable = [*_readable(), *(_network_files() if kind == "stream" else ())]
    if kind in {"file", "folder"}:
        readable.append(path)
    is_stream = kind == "stream"
    steps: tuple[Callable[[], None], ...] = (
        partial(landlock.restrict, readable, device, ports),
        partial(seccomp.refuse_calls, tcp=is_stream, udp=is_stream and (widened or _needs_udp(source))),
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
        seccomp.refuse_calls()
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def grant_time() -> None:
    """Allow processor time for one more picture; what takes longer is killed by the kernel."""
    used_s = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (used_s + CPU_S, hard))


def _limit() -> None:
    """No core, no file written, bounded memory and files; the first to go where memory runs out."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    room = pages * resource.getpagesize() + MEMORY_BYTES
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_AS: room,
        resource.RLIMIT_NOFILE: FILES_MAX,
    }
    for limit, most in limits.items():
        resource.setrlimit(limit, (most, most))
    grant_time()


def _port(source: str) -> Iterator[int]:
    parts = urlsplit(source)
    with suppress(ValueError):
        port = parts.port or _PORTS.get(parts.scheme)
        if port is not None:
            yield port


def _needs_udp(source: str) -> bool:
    """Whether pictures come by datagrams, or a name has to be looked up."""
    parts = urlsplit(source)
    with suppress(ValueError):
        ip_address(parts.hostname or "")
        return parts.scheme not in {"http", "https"}
    return True


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
