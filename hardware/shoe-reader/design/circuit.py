"""The reader's circuit for SKiDL: parts, nets, rule check and netlist.

Footprints are names of KiCad's own libraries, so that a board can be laid out from the netlist.
"""

import builtins
import contextlib
from pathlib import Path
from typing import Any, Final

from skidl import ERC, SKIDL, TEMPLATE, Net, Part, Pin, generate_netlist, reset
from skidl.logger import active_logger, stop_log_file_output

from design.bom import PARTS
from design.light import FEED_OHM, budget

E12: Final = (1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2)

PICO_PINS: Final = {
    "GP2": ("4", "input"),
    "GP3": ("5", "input"),
    "GP4": ("6", "input"),
    "GP5": ("7", "output"),
    "GP6": ("9", "output"),
    "GP7": ("10", "input"),
    "GP8": ("11", "bidir"),
    "GP9": ("12", "output"),
    **{f"GP{10 + light}": (pin, "output") for light, pin in enumerate(("14", "15", "16", "17", "19", "20"))},
    "GND": ("38", "pwrin"),
    "3V3": ("36", "pwrout"),
    "VBUS": ("40", "pwrout"),
}
"""Used pins of the board: number on the board, and what the firmware makes of it (`firmware/main.py`)."""


def up_e12(ohm: float) -> float:
    """The next larger value of the series E12."""
    decade = 10.0 ** len(str(int(ohm))) / 10 if ohm >= 1 else 0.1
    return next(value * decade for value in (*E12, 10.0) if value * decade >= ohm)


def _part(ref: str, value: str, footprint: str, pins: dict[str, tuple[str, str]]) -> Any:
    """A part with named pins; `pins`: name, then number and electrical type."""
    kinds = {
        "input": Pin.types.INPUT,
        "output": Pin.types.OUTPUT,
        "bidir": Pin.types.BIDIR,
        "passive": Pin.types.PASSIVE,
        "pwrin": Pin.types.PWRIN,
        "pwrout": Pin.types.PWROUT,
        "open": Pin.types.OPENCOLL,
    }
    listed = [Pin(num=num, name=name, func=kinds[kind]) for name, (num, kind) in pins.items()]
    made = Part(name=value, ref_prefix=ref.rstrip("0123456789"), tool=SKIDL, dest=TEMPLATE, pins=listed)
    return made(ref=ref, value=value, footprint=footprint, tag=ref)


TWO: Final = {"1": ("1", "passive"), "2": ("2", "passive")}


def resistor(ref: str, ohm: float) -> Any:
    """A resistor of so many ohms."""
    return _part(ref, f"{ohm:g}", "Resistor_SMD:R_0805_2012Metric", TWO)


def build() -> None:
    """Make all parts and nets."""
    reset()
    ground, logic, usb = Net("GND"), Net("3V3"), Net("VBUS")
    board = _part("U1", "Raspberry Pi Pico", "Module:RaspberryPi_Pico_Common_THT", PICO_PINS)
    board["GND"] += ground
    board["3V3"] += logic
    board["VBUS"] += usb
    _beams(board, ground, logic)
    _flash(board, ground, usb)
    _paper(board, ground, logic)
    _thickness(board, ground, logic)
    _lights(board, ground)
    _switches(board, ground, usb)


def _beams(board: Any, ground: Any, logic: Any) -> None:
    """Two infrared beams: diode above, transistor below; an inverter makes dark high."""
    for number, pin in ((1, "GP2"), (2, "GP3")):
        diode = _part(
            f"D{number}", "TSUS4300", "LED_THT:LED_D3.0mm", {"A": ("2", "passive"), "K": ("1", "passive")}
        )
        eye = _part(
            f"Q{number}", "BPW85", "LED_THT:LED_D3.0mm", {"C": ("2", "passive"), "E": ("1", "passive")}
        )
        series, load = resistor(f"R{number}", 68), resistor(f"R{number + 2}", 10_000)
        logic & series & diode["A"]
        diode["K"] += ground
        # Light pulls the collector down; a card lets it rise: high while covered.
        logic & load & eye["C"]
        eye["E"] += ground
        eye["C"] & board[pin]


def _flash(board: Any, ground: Any, usb: Any) -> None:
    """Six lamps from a capacitor, each with its resistor, switched together; the gate is held down."""
    store = Net("FLASH_SUPPLY")
    feed, gate, hold = resistor("R5", FEED_OHM), resistor("R6", 100), resistor("R7", 10_000)
    store_c = _part("C1", "1000u 10V low ESR", "Capacitor_THT:CP_Radial_D10.0mm_P5.00mm", TWO)
    switch = _part(
        "Q3",
        "AO3400A",
        "Package_TO_SOT_SMD:SOT-23",
        {"G": ("1", "input"), "S": ("2", "passive"), "D": ("3", "passive")},
    )
    usb & feed & store
    store_c["1"] += store
    store_c["2"] += ground
    board["GP5"] & gate & switch["G"]
    switch["G"] & hold & ground
    switch["S"] += ground
    ohm = up_e12(budget().series_ohm)
    for lamp in range(6):
        led = _part(
            f"D{10 + lamp}",
            "white 1 W, 3535",
            "LED_SMD:LED_Cree-XP",
            {"A": ("2", "passive"), "K": ("1", "passive")},
        )
        store & resistor(f"R{10 + lamp}", ohm) & led["A"]
        led["K"] += switch["D"]


def _paper(board: Any, ground: Any, logic: Any) -> None:
    """A reflective sensor: paper lights its transistor and pulls the line down; black leaves it high."""
    pins = {"A": ("1", "passive"), "K": ("2", "passive"), "C": ("3", "passive"), "E": ("4", "passive")}
    eye = _part("U2", "QRE1113", "OptoDevice:OnSemi_CASE100AQ", pins)
    logic & resistor("R20", 100) & eye["A"]
    eye["K"] += ground
    logic & resistor("R21", 10_000) & eye["C"]
    eye["E"] += ground
    eye["C"] & board["GP7"]


def _thickness(board: Any, ground: Any, logic: Any) -> None:
    """The FDC1004 on its module measures the capacity of two plates; the module has its own pull-ups."""
    pins = {
        "VDD": ("1", "pwrin"),
        "GND": ("2", "pwrin"),
        "SDA": ("3", "bidir"),
        "SCL": ("4", "input"),
        "CIN1": ("5", "passive"),
    }
    module = _part("U3", "FDC1004 module", "Connector_PinHeader_2.54mm:PinHeader_1x05_P2.54mm_Vertical", pins)
    plates = _part(
        "C2", "plates 21 x 19 mm", "Connector_PinHeader_2.54mm:PinHeader_1x02_P2.54mm_Vertical", TWO
    )
    module["VDD"] += logic
    module["GND"] += ground
    module["SDA"] & board["GP8"]
    module["SCL"] & board["GP9"]
    module["CIN1"] & plates["1"]
    plates["2"] += ground


def _lights(board: Any, ground: Any) -> None:
    """Six code lights at 2 mA each, three of them on."""
    for light in range(6):
        led = _part(
            f"D{20 + light}",
            "white 0805",
            "LED_SMD:LED_0805_2012Metric",
            {"A": ("2", "passive"), "K": ("1", "passive")},
        )
        board[f"GP{10 + light}"] & resistor(f"R{30 + light}", 330) & led["A"]
        led["K"] += ground


def _switches(board: Any, ground: Any, usb: Any) -> None:
    """Lid switch to ground, with the pull-up in the chip; a solenoid as lock, with its diode."""
    lid = _part("SW1", "micro switch", "Connector_PinHeader_2.54mm:PinHeader_1x02_P2.54mm_Vertical", TWO)
    lid["1"] & board["GP4"]
    lid["2"] += ground
    coil = _part("K1", "solenoid 5 V", "Connector_PinHeader_2.54mm:PinHeader_1x02_P2.54mm_Vertical", TWO)
    switch = _part(
        "Q4",
        "AO3400A",
        "Package_TO_SOT_SMD:SOT-23",
        {"G": ("1", "input"), "S": ("2", "passive"), "D": ("3", "passive")},
    )
    back = _part("D30", "1N4148", "Diode_SMD:D_SOD-123", {"K": ("1", "passive"), "A": ("2", "passive")})
    board["GP6"] & resistor("R40", 100) & switch["G"]
    switch["G"] & resistor("R41", 10_000) & ground
    switch["S"] += ground
    usb & coil["1"]
    coil["2"] += switch["D"]
    back["K"] += usb
    back["A"] += switch["D"]


def export(folder: Path) -> tuple[int, int]:
    """Check the rules, write netlist and list of parts; gives the check's errors and warnings."""
    folder.mkdir(parents=True, exist_ok=True)
    stop_log_file_output()
    # SKiDL writes its netlist into the working folder.
    with contextlib.chdir(folder):
        build()
        ERC()
        generate_netlist(file_="reader.net")
    found = int(active_logger.error.count), int(active_logger.warning.count)
    # SKiDL keeps its circuit among the builtins.
    made: Any = vars(builtins)["default_circuit"]
    lines = sorted({f"{part.value}\t{part.footprint}" for part in made.parts})
    (folder / "electronics.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    unknown = {str(part.value) for part in made.parts} - {name for row in PARTS for name in row.values}
    if unknown:
        raise SystemExit(f"not in the bill of materials: {sorted(unknown)}")
    return found
