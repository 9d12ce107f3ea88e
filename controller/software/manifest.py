"""The manifest of a release: version, commit and the hash of every shipped file, signed as it is released.

`controller/manifest.json` is JSON; `controller/manifest.sig` holds the Ed25519 signature of "stand17
manifest" LF and the bytes of that file, 128 hexadecimal digits.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from controller.software.files import MANIFEST, SIGNATURE

_MARK: Final = b"stand17 manifest\n"
BYTES_MAX: Final = 5_000_000


class Manifest(NamedTuple):
    """What was released; `files` maps paths to SHA-256 in hexadecimal. `commit` may be ""."""

    version: str
    commit: str
    files: Mapping[str, str]

    def encoded(self) -> bytes:
        """The bytes that are signed and shipped."""
        return (json.dumps(self._asdict(), sort_keys=True, indent=1) + "\n").encode()


class ShippedManifest(NamedTuple):
    """A manifest as it was found, with the bytes and the signature that came with it."""

    manifest: Manifest
    encoded: bytes
    signature: bytes

    @property
    def message(self) -> bytes:
        """What the signature has to be of."""
        return _MARK + self.encoded


def signed(manifest: Manifest, sign: Callable[[bytes], bytes]) -> dict[str, bytes]:
    """The files that a release carries, by their path."""
    encoded = manifest.encoded()
    return {MANIFEST: encoded, SIGNATURE: f"{sign(_MARK + encoded).hex()}\n".encode()}


def read_manifest(root: Path) -> ShippedManifest | None:
    """The manifest of an installation; None where it never had one, or has none that can be read."""
    try:
        with (root / MANIFEST).open("rb") as file:
            text = file.read(BYTES_MAX)
        fields = json.loads(text)
        files = {str(name): str(value) for name, value in fields["files"].items()}
        manifest = Manifest(str(fields["version"]), str(fields["commit"]), files)
    except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError):
        return None
    try:
        signature = bytes.fromhex((root / SIGNATURE).read_text(encoding="ascii"))
    except (OSError, ValueError):
        signature = b""
    return ShippedManifest(manifest, text, signature)
