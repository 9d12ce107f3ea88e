"""What is attached to this machine: serial lines, cameras and keypads by the names that stay.

The kernel's folders are read below a root, so that a test can bring its own machine.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

AttachedKind = Literal["serial", "camera", "keys"]
"""What a device looks like to the kernel; what it is to the table stands in the configuration."""


class Attached(NamedTuple):
    """One device. `name` is what belongs in a configuration file, `node` what it is at the moment.

    `problem` is "" or a code: NO_PERMISSION (this user may not use it), NAME_MAY_CHANGE (there is no stable
    name: it may be another one after the next plugging), NOT_THERE (a name that leads nowhere).
    """

    kind: AttachedKind
    name: str
    node: str
    problem: str


class _DevicePlace(NamedTuple):
    """Folders and patterns: where devices of a kind have stable names, and where the kernel puts them."""

    kind: AttachedKind
    stable: str
    stable_names: str
    nodes: str


_PLACES: Final = (
    _DevicePlace("serial", "dev/serial/by-id", "*", "dev/tty[UA][SC][BM]*"),
    _DevicePlace("camera", "dev/v4l/by-id", "*-video-index0", "dev/video*"),
    _DevicePlace("keys", "dev/input/by-id", "*-event-kbd", ""),
)


def attached(root: Path = Path("/")) -> list[Attached]:
    """List everything that could be a shoe, a camera or a keypad, stable names first.

    `root` is where the machine's folders begin.
    """
    return [found for place in _PLACES for found in _at(place, root)]


def _at(place: _DevicePlace, root: Path) -> Iterator[Attached]:
    """Give a kind's devices: by stable name, then those that have none."""
    named = sorted((root / place.stable).glob(place.stable_names))
    nodes = {name.resolve() for name in (root / place.stable).glob("*")}
    for name in named:
        node = name.resolve()
        yield Attached(place.kind, _system_path(name, root), _system_path(node, root), _problem(node))
    for node in sorted(root.glob(place.nodes)) if place.nodes else ():
        if node.resolve() not in nodes:
            shown = _system_path(node, root)
            yield Attached(place.kind, shown, shown, _problem(node) or "NAME_MAY_CHANGE")


def _problem(node: Path) -> str:
    if not node.exists():
        return "NOT_THERE"
    return "" if os.access(node, os.R_OK | os.W_OK) else "NO_PERMISSION"


def _system_path(path: Path, root: Path) -> str:
    """Write a path as the machine itself would call it."""
    return "/" + str(path.relative_to(root.resolve() if path.is_relative_to(root.resolve()) else root))
