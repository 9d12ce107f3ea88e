"""Coverage-guided fuzzing of the shoe parsers, with the corpus that the tests replay.

`python -m tests.drivers.fuzz_shoe TARGET FOLDER -max_total_time=600`; needs the package `atheris`, which is
not part of the development group. The first byte of an input says where the rest is cut in two. The targets
`angel_unchecked` and `open_inside` get past the checks, behind which a fuzzer would otherwise seldom come.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from drivers.shoe.angel_eye import AngelEye, AngelEyeOptions
from drivers.shoe.open_frames import LAYOUTS, FramedMessage, encode
from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import ShoeEvent, ShoeProtocol

CORPUS: Final = Path(__file__).with_name("corpus")
BOOTS: Final = (0xBEEF, 0xBEEF, 0xBEEF, 0x0001)


def as_it_is(data: bytes) -> bytes:
    """Take the input for the bytes on the line."""
    return data


def as_frames(data: bytes) -> bytes:
    """Take the input for messages and put each into a frame whose check fits.

    A message is type, flags, number (its top bits choose a boot id), length, payload; a known type gets the
    length that it must have.
    """
    out = b""
    while len(data) >= 4:
        kind, flags, seq, length = data[0] & 0x3F, data[1], data[2], data[3] % 49
        layout = LAYOUTS.get(kind)
        size = layout.size if layout else length
        payload = data[4 : 4 + size].ljust(size, b"\0")
        out += encode(FramedMessage(kind, flags, BOOTS[seq >> 6], seq & 0x1F, seq * 100, payload))
        data = data[4 + size :]
    return out


class Target(NamedTuple):
    """A parser and how an input becomes its bytes."""

    make: Callable[[], ShoeProtocol]
    line: Callable[[bytes], bytes]


TARGETS: Final = {
    "angel": Target(AngelEye, as_it_is),
    "angel_unchecked": Target(lambda: AngelEye(AngelEyeOptions(bcc_in="ignored")), as_it_is),
    "open": Target(OpenShoe, as_it_is),
    "open_inside": Target(OpenShoe, as_frames),
}


def check(target: Target, data: bytes) -> list[ShoeEvent]:
    """Feed the input whole and cut in two; both must say the same, and nothing may raise."""
    at, stream = data[0] if data else 0, target.line(data[1:])
    whole, parts = target.make(), target.make()
    events = whole.feed(stream)
    assert events == parts.feed(stream[:at]) + parts.feed(stream[at:])
    whole.poll(0)
    whole.connected()
    whole.feed(stream)
    return events


def kept(name: str) -> list[bytes]:
    """Read the corpus of a target: one input a line, in hex."""
    lines = (CORPUS / f"{name}.hex").read_text(encoding="ascii").splitlines()
    return [bytes.fromhex(line) for line in lines]


def seed(name: str, folder: Path) -> None:
    """Lay the kept corpus out as files, as the fuzzer wants it."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(kept(name)):
        (folder / f"kept-{number}").write_bytes(data)


def main() -> None:
    """Fuzz the target that the first argument names in the folder of the second; pass on the rest."""
    atheris = import_module("atheris")
    name = sys.argv.pop(1)
    target = TARGETS[name]
    seed(name, Path(sys.argv[1]))
    atheris.instrument_all()
    atheris.Setup(sys.argv, lambda data: check(target, data) and None)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
