"""What all sections of a configuration file have in common."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Fraction = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """Immutable and strict: an unknown or misspelt field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
