"""The base of everything that goes out to a screen."""

from pydantic import BaseModel, ConfigDict


class ViewModel(BaseModel):
    """What goes out to a screen: immutable, and every field is always there."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_mode_override="serialization",
        json_schema_serialization_defaults_required=True,
    )
