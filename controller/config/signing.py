"""The section of the table's key and of its signed heads."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field

from controller.config.section import Section


class SigningSection(Section):
    """What signs the journal, and where signed heads are kept besides.

    `key` left out is `table.key` beside the journal; it is made where there is none, and a systemd credential
    of that name goes before it. `keep_folder` has to be there, on another disk. `keep_url` takes each head as
    the body of a POST: a witness, whose public key is `witness_key`, or without one any receiver.
    """

    key: Path | None = None
    keep_folder: Path | None = None
    keep_url: Annotated[str, Field(pattern="^https?://[^\\s/]+")] | None = None
    witness_key: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None

    def rooted(self, folder: Path) -> Self:
        """Read relative paths from this folder."""
        rooted = {
            name: path and folder / path
            for name, path in (("key", self.key), ("keep_folder", self.keep_folder))
        }
        return self.model_copy(update=rooted)
