"""What the reader is made of: parts, numbers, prices. A price has a page that was read, or is an estimate."""

from pathlib import Path
from typing import Final, NamedTuple

EUR_PER_USD: Final = 0.92
"""Source: estimate; prices in dollars are turned into euros with it, and 21 % of tax are added."""

TAX: Final = 1.21
LIMIT_EUR: Final = 120.0


class Row(NamedTuple):
    """One line; without a page `source` is "estimate". `values` are those of the circuit."""

    part: str
    number: int
    each_eur: float
    source: str
    values: tuple[str, ...] = ()


def dollars(price: float) -> float:
    """A price in dollars without tax, in euros with it."""
    return round(price * EUR_PER_USD * TAX, 2)


PARTS: Final = (
    Row(
        "USB camera module, OV9782 (colour, global shutter), 1280 x 800, 120 pictures a second, M12 mount",
        1,
        45.0,
        "estimate",
    ),
    Row("M12 lens, 2.8 mm, f/2.0, for a 1/4 inch sensor", 1, 6.0, "estimate"),
    Row(
        "Raspberry Pi Pico",
        1,
        dollars(4.0),
        "4 USD: thisisanitsupportgroup.com/blog/pi-pico-4-dollar-microcontroller-revolution "
        "(price of 21 January 2021)",
        ("Raspberry Pi Pico",),
    ),
    Row(
        "FDC1004 on a module",
        1,
        dollars(15.0),
        "15 to 30 USD: industrialmonitordirect.com/blogs/knowledgebase/"
        "capacitive-proximity-sensor-to-analog-distance-conversion (no day on the page)",
        ("FDC1004 module",),
    ),
    Row("copper foil for two plates, 21 x 19 mm", 1, 0.5, "estimate", ("plates 21 x 19 mm",)),
    Row("infrared diode 3 mm, 950 nm, narrow (TSUS4300)", 2, 0.5, "estimate", ("TSUS4300",)),
    Row("phototransistor 3 mm (BPW85)", 2, 0.6, "estimate", ("BPW85",)),
    Row("reflective sensor QRE1113", 1, 1.2, "estimate", ("QRE1113",)),
    Row("white LED, 1 W, 3535, on a small carrier", 6, 0.7, "estimate", ("white 1 W, 3535",)),
    Row("white LED 0805, with a disc of diffuser foil", 6, 0.1, "estimate", ("white 0805",)),
    Row("MOSFET AO3400A", 2, 0.2, "estimate", ("AO3400A",)),
    Row("diode 1N4148", 1, 0.05, "estimate", ("1N4148",)),
    Row("capacitor 1000 uF, 10 V, low ESR", 1, 0.5, "estimate", ("1000u 10V low ESR",)),
    Row(
        "resistors 0805",
        26,
        0.03,
        "estimate",
        ("1.2", "22", "68", "100", "330", "10000"),
    ),
    Row("micro switch for the lid", 1, 0.8, "estimate", ("micro switch",)),
    Row("solenoid 5 V, 4 mm stroke, as lock", 1, 4.0, "estimate", ("solenoid 5 V",)),
    Row("pane, acrylic with a hard coat, 51 x 43 x 1.5 mm", 1, 2.0, "estimate"),
    Row("PETG, matt black, 0.3 kg", 1, 7.0, "estimate"),
    Row("stripboard, wire, pin headers, 16 screws M3 (6 to 14 mm) and four M2", 1, 5.0, "estimate"),
    Row("rubber feet, 12 mm high", 4, 0.3, "estimate"),
    Row("USB cables with screw lock, 2 m", 2, 4.0, "estimate"),
)


def total_eur() -> float:
    """All of it, without the table's computer."""
    return round(sum(row.number * row.each_eur for row in PARTS), 2)


def export(path: Path) -> None:
    """Write the list as a table."""
    lines = ["| part | number | each, EUR | source of the price |", "|---|---|---|---|"]
    lines += [f"| {row.part} | {row.number} | {row.each_eur:.2f} | {row.source} |" for row in PARTS]
    lines.append(f"| **together** | | **{total_eur():.2f}** | without the table's computer |")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
