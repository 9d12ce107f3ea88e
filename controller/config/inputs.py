"""Sections of the small devices: keypads and pedals, peek device, discard rack, chip sources."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from controller.acts.money.chip_reading import ReadingKind
from controller.config.section import BaudRate, Fraction, Name, Section

KeyWord = Literal[
    "hit", "stand", "double", "split", "surrender", "end", "freeze", "shoe", "shuffle", "cut_card"
]
"""What a key can mean; the table takes it as if the dealer had pressed that key on the screen."""

TagPrefix = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{1,24}$", to_lower=True)]
"""The first hexadecimal digits of a chip's tag."""


class InputSection(Section):
    """A small device. When a `required` one is lost the table holds; without any other one it only warns."""

    name: Name
    port: str = Field(min_length=1)
    baud: BaudRate = 9600
    required: bool = False


class KeysSection(InputSection):
    """A number pad or foot pedal.

    `kind`: `input` is an input device of the kernel, `serial` speaks lines of text. `keys` are the key codes
    of an input device and what they mean; a plain number pad when left out.
    """

    name: Name = "keypad"
    kind: Literal["input", "serial"] = "input"
    keys: dict[Annotated[int, Field(gt=0, lt=0x300)], KeyWord] = Field(default_factory=dict)


class PeekSection(InputSection):
    """A device that looks at the face-down card and says only whether it makes a blackjack."""

    name: Name = "peek"


class RackSection(InputSection):
    """A counter of the cards in the discard rack.

    Its number is compared once it and the table have rested for `settle_ms`; more than `tolerance` cards
    of difference are an alert.
    """

    name: Name = "rack"
    tolerance: int = Field(default=0, ge=0, le=52)
    settle_ms: int = Field(default=5000, ge=0)


class AntennaSection(Section):
    """An antenna of an RFID reader by its number there, and the bettor whose chips lie over it.

    `reads`: what lies there is the stake, or all that the bettor is handed back, stake included.
    """

    antenna: int = Field(ge=1, le=0xFFFF)
    box: int = Field(ge=1, le=99)
    seat: int = Field(default=0, ge=0, le=99)
    reads: ReadingKind = "stake"


class ChipsSection(InputSection):
    """A chip source: it counts what lies in the circles, and what is handed back.

    What it is less than `certain` of counts as chips that it cannot count. `kind`: `serial` speaks lines of
    text, `llrp` is an RFID reader at `port = "socket://ADDRESS:5084"`: it needs its `antennas`, and in
    `values` what chips are worth, in minor units, by the first hexadecimal digits of their tags.
    """

    name: Name = "chips"
    kind: Literal["serial", "llrp"] = "serial"
    certain: Fraction = 0.98
    antennas: tuple[AntennaSection, ...] = ()
    values: dict[TagPrefix, Annotated[int, Field(gt=0, lt=10**12)]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _antennas_are_known(self) -> "ChipsSection":
        numbers = [one.antenna for one in self.antennas]
        if (self.kind == "llrp") != bool(self.antennas and self.values):
            raise ValueError("antennas and values belong to kind llrp, which needs both")
        if len(set(numbers)) < len(numbers):
            raise ValueError("an antenna looks at one place: each number can be there once")
        return self
