"""The section of the floor: the network over which a table is looked at and ruled on from the pit."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from controller.config.section import Section

Server = Annotated[str, Field(pattern=r"^(nats|tls)://[^\s/@]+$")]
PublicKey = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class FloorSection(Section):
    """Where the floor's NATS servers are, and who may command over them.

    `certificate` and `key` are the table's own, PEM files; `authority` signs the servers', the machine's
    authorities where it is left out. `user` signs in with the password in `password_file`. `commanders` are
    the public keys of the pit's servers that may command, 64 digits each; without them nobody may. `archives`
    are those of the archives whose word counts; without them that of anybody who can speak on the network.
    `inbox` begins the subjects of answers to this member: the server lets it alone hear them.
    """

    servers: Annotated[tuple[Server, ...], Field(min_length=1)]
    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    user: str = ""
    password_file: Path | None = None
    commanders: tuple[PublicKey, ...] = ()
    archives: tuple[PublicKey, ...] = ()
    inbox: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,80}$")] = "_INBOX"

    def rooted(self, folder: Path) -> Self:
        """Read relative paths from this folder."""
        return self.model_copy(
            update={name: folder / value for name, value in self if isinstance(value, Path)}
        )

    @model_validator(mode="after")
    def _key_with_certificate(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key belong together")
        return self
