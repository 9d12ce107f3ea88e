"""What all sections of a configuration file have in common."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from controller.domain import WANTED, is_plain


def _plain(name: str) -> str:
    """Refuse a name that could not be shown, logged and written down."""
    if not is_plain(name):
        raise ValueError(f"a name is {WANTED}")
    return name


Name = Annotated[str, Field(min_length=1, max_length=40), AfterValidator(_plain)]
"""What a table or a device is called."""

BaudRate = Annotated[int, Field(gt=0, le=4_000_000)]
"""Bits a second of a serial line; no line is faster."""

Fraction = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """Immutable and strict: an unknown or misspelt field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
