"""The `table_options` of a feed's header (feed format, section 7)."""

from typing import Annotated, Any, Final, Literal, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from controller.domain.errors import ConfigError
from controller.policy import DEFAULT_OPTIONS, TableOptions
from controller.validation import first_problem

GAP_MS_MAX: Final = 60_000
COUNT_EVERY_MAX: Final = 10_000


@with_config(ConfigDict(strict=True, extra="forbid"))
class _OptionFields(TypedDict):
    stand_on_21: NotRequired[bool]
    turn_by_card: NotRequired[bool]
    paid_by_next_bet: NotRequired[bool]
    unclear: NotRequired[Literal["ask", "mark"]]
    later_hand: NotRequired[Literal["mark", "ask"]]
    card_gap_ms: NotRequired[Annotated[int, Field(ge=0, le=GAP_MS_MAX)]]
    payouts: NotRequired[Literal["confirm", "enter", "measure"]]
    ask_hit_from: NotRequired[Annotated[int, Field(ge=0, le=21)]]
    shoe_runs_out: NotRequired[Literal["discards", "shoe"]]
    shuffle_watch: NotRequired[bool]
    count_every: NotRequired[Annotated[int, Field(ge=0, le=COUNT_EVERY_MAX)]]
    count_at_close: NotRequired[bool]
    float_check: NotRequired[bool]
    mode: NotRequired[Literal["live", "shadow"]]


_ADAPTER: Final[TypeAdapter[Any]] = TypeAdapter(_OptionFields)


def parse_table_options(entered: object) -> TableOptions:
    """The options that a header tells on top of the defaults; without any nobody watches the shuffle.

    A closing count is compared with the float only where the header asks for it: a feed may tell of one count
    and not of everything that moved the float.

    Raises ConfigError FEED_FIELD_BAD for an option that nobody knows or a value that it cannot have.
    """
    unchecked = DEFAULT_OPTIONS._replace(float_check=False)
    if entered is None:
        return unchecked._replace(shuffle_watch=False)
    try:
        return unchecked._replace(**_ADAPTER.validate_python(entered))
    except ValidationError as error:
        problem = first_problem(error.errors()[0], entered)
        field = f"table_options.{problem.field}" if problem.field else "table_options"
        raise ConfigError(
            "FEED_FIELD_BAD", field=field, value=problem.value, wanted=problem.wanted
        ) from error


def watches(entered: object) -> bool:
    """Whether a feed with these `table_options` is watched where it is played without the table's door."""
    return isinstance(entered, dict) and entered.get("shuffle_watch", True) is True
