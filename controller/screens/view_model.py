"""What every part of a view is made of: the model itself, amounts, chips and texts."""

from pydantic import BaseModel, ConfigDict


class ViewModel(BaseModel):
    """What goes out to a screen: immutable, and every field is always there."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_mode_override="serialization",
        json_schema_serialization_defaults_required=True,
    )


class Money(ViewModel):
    """An amount as a decimal string such as "22.50"; the screen writes it in the house's way."""

    money: str


class Chips(ViewModel):
    """Chips for a text, largest first, as (value, count); the screen writes how many of each."""

    chips: tuple[tuple[str, int], ...]


class Words(ViewModel):
    """A text by its key in the catalogues, with what fills its holes."""

    code: str
    params: dict[str, int | str | Money | Chips] = {}
