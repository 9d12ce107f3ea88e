"""What is attached to this machine: serial lines, cameras and keypads by the names that stay.

The kernel's folders are read below a root, so that a test can bring its own machine.
"""

import os
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


_PLACES: Final[tuple[tuple[AttachedKind, str, str, str], ...]] = (
    ("serial", "dev/serial/by-id", "*", "dev/tty[UA][SC][BM]*"),
    ("camera", "dev/v4l/by-id", "*-video-index0", "dev/video*"),
    ("keys", "dev/input/by-id", "*-event-kbd", ""),
)
"""Of each kind: the folder of stable names, their pattern, and where the kernel puts its devices."""


def attached(root: Path = Path("/")) -> list[Attached]:
    """List everything that could be a shoe, a camera or a keypad, stable names first.

    `root` is where the machine's folders begin.
    """
    found = []
    for kind, stable, pattern, nodes in _PLACES:
        named = {name.resolve() for name in (root / stable).glob("*")}
        for name in sorted((root / stable).glob(pattern)):
            node = name.resolve()
            found.append(Attached(kind, _system_path(name, root), _system_path(node, root), _problem(node)))
        for node in sorted(root.glob(nodes)) if nodes else ():
            if node.resolve() not in named:
                shown = _system_path(node, root)
                found.append(Attached(kind, shown, shown, _problem(node) or "NAME_MAY_CHANGE"))
    return found


def _problem(node: Path) -> str:
    if not node.exists():
        return "NOT_THERE"
    return "" if os.access(node, os.R_OK | os.W_OK) else "NO_PERMISSION"


def _system_path(path: Path, root: Path) -> str:
    """Write a path as the machine itself would call it."""
    return "/" + str(path.relative_to(root.resolve() if path.is_relative_to(root.resolve()) else root))
