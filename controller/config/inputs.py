"""Sections of the small devices: keypads and pedals, peek device, chip sources."""

from typing import Annotated, Literal

from pydantic import Field

from controller.config.section import BaudRate, Fraction, Name, Section

KeyWord = Literal[
    "hit", "stand", "double", "split", "surrender", "end", "freeze", "shoe", "shuffle", "cut_card"
]
"""What a key can mean; the table takes it as if the dealer had pressed that key on the screen."""


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


class ChipsSection(InputSection):
    """A chip source: it counts what lies in the circles, and what is handed back, in lines of text.

    A reading that it is less than `certain` of counts as chips that it cannot count.
    """

    name: Name = "chips"
    kind: Literal["serial"] = "serial"
    certain: Fraction = 0.98
