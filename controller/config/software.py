"""The section of the program's own files."""

import re
from pathlib import Path
from typing import Final, Self

from controller.config.section import Section

DIGITS: Final = re.compile(r"[0-9a-fA-F]{64}")


class SoftwareSection(Section):
    """Whose release a live table may run.

    `release_key` is the public key of whoever releases: its 64 digits, or a file. `allow_unreleased` lets a
    live table run sources, or a wheel that nobody has signed.
    """

    release_key: str = ""
    allow_unreleased: bool = False

    def rooted(self, folder: Path) -> Self:
        """Read a relative path from this folder."""
        if not self.release_key or DIGITS.fullmatch(self.release_key):
            return self
        return self.model_copy(update={"release_key": str(folder / self.release_key)})
