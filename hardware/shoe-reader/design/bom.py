"""What the reader is made of: parts, numbers, prices. A price has a page that was read, or is an estimate."""

from pathlib import Path
from typing import Final, NamedTuple

_EUR_PER_USD: Final = 0.92
"""Source: estimate; prices in dollars are turned into euros with it, and 21 % of tax are added."""

_TAX: Final = 1.21
LIMIT_EUR: Final = 140.0


class Row(NamedTuple):
    """One line; without a page `source` is "estimate". `values` are those of the circuit."""

    part: str
    number: int
    each_eur: float
    source: str
    values: tuple[str, ...] = ()


def dollars(price: float) -> float:
    """A price in dollars without tax, in euros with it."""
    return round(price * _EUR_PER_USD * _TAX, 2)


PARTS: Final = (
    Row(
        "USB camera module, OV9782 (colour, global shutter), 38 x 38 mm, MJPG 1280 x 800 at 100 a second, "
        "with an M12 lens of 2.8 mm, f/2.0 (Arducam's OV9782 USB camera, USB 0c45:6366)",
        1,
        52.0,
        "estimate",
    ),
    Row("first-surface mirror, 58 x 37 x 1.1 mm", 1, 9.0, "estimate"),
    Row(
        "Raspberry Pi Pico",
        1,
        dollars(4.0),
        "4 USD: thisisanitsupportgroup.com/blog/pi-pico-4-dollar-microcontroller-revolution "
        "(price of 21 January 2021)",
        ("Raspberry Pi Pico",),
    ),
    Row(
        "FDC1004 on a module, with CIN1 and SHLD1 on pins",
        1,
        dollars(15.0),
        "15 to 30 USD: industrialmonitordirect.com/blogs/knowledgebase/"
        "capacitive-proximity-sensor-to-analog-distance-conversion (no day on the page)",
        ("FDC1004 module",),
    ),
    Row("infrared diode 3 mm, 950 nm, narrow (TSUS4300)", 2, 0.5, "estimate", ("TSUS4300",)),
    Row("phototransistor 3 mm (BPW85)", 2, 0.6, "estimate", ("BPW85",)),
    Row("reflective sensor QRE1113 (through hole)", 1, 1.2, "estimate", ("QRE1113",)),
    Row("white LED, 1 W, 3535, on a round carrier of 8 mm", 6, 0.7, "estimate", ("white 1 W, 3535",)),
    Row(
        "white LED 0805 with wires soldered on (as for model railways), and a 4 mm disc of diffuser foil",
        6,
        0.3,
        "estimate",
        ("white 0805, wired",),
    ),
    Row("step-up module MT3608, 28 V", 1, 1.5, "estimate", ("MT3608 module",)),
    Row("transistors IRLZ24N and BC337, one each", 1, 1.2, "estimate", ("IRLZ24N", "BC337")),
    Row("capacitor 470 uF, 35 V", 1, 0.5, "estimate", ("470u 35V",)),
    Row(
        "resistors 0.25 W: 6 x 470, 3 x 10k, 2 x 150, 2 x 68, 100, 22k, 0.68 ohm (0.5 W)",
        16,
        0.03,
        "estimate",
        ("0.68", "68", "100", "150", "470", "10000", "22000"),
    ),
    Row("pane, acrylic with a hard coat, 53.4 x 42.6 x 1.5 mm", 1, 2.0, "estimate"),
    Row("PETG, matt black, 0.6 kg", 1, 13.0, "estimate"),
    Row(
        "stripboard 66 x 43 mm, copper foil, wire, 18 screws M3 (8 to 16 mm), four M2, felt pads",
        1,
        8.0,
        "estimate",
        ("foils",),
    ),
    Row("USB cables, 2 m; the printed clamp holds both", 2, 3.0, "estimate"),
)


def total_eur() -> float:
    """All of it, without the table's computer."""
    return round(sum(row.number * row.each_eur for row in PARTS), 2)


def export(path: Path) -> None:
    """Write the list as a table."""
    lines = ["| part | number | each, EUR | source of the price |", "|---|---|---|---|"]
    lines += [f"| {row.part} | {row.number} | {row.each_eur:.2f} | {row.source} |" for row in PARTS]
    guessed = sum(row.source == "estimate" for row in PARTS)
    lines.append(
        f"| **together** | | **{total_eur():.2f}** | {guessed} of {len(PARTS)} prices are estimates; "
        "without the table's computer |"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
