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
from design.light import CODE_LIGHT, FEED_OHM, REFLECTIVE, SENSE_OHM

PICO_PINS: Final = {
    "GP2": ("4", "input"),
    "GP3": ("5", "input"),
    "GP5": ("7", "output"),
    "GP8": ("11", "bidir"),
    "GP9": ("12", "output"),
    **{f"GP{10 + light}": (pin, "output") for light, pin in enumerate(("14", "15", "16", "17", "19", "20"))},
    "GP26": ("31", "input"),
    "GND": ("38", "pwrin"),
    "3V3": ("36", "pwrout"),
    "VBUS": ("40", "pwrout"),
}
"""Used pins of the board: number on the board, and what the firmware makes of it (`firmware/main.py`)."""


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


def _resistor(ref: str, ohm: float) -> Any:
    """A resistor of so many ohms."""
    return _part(ref, f"{ohm:g}", "Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P10.16mm_Horizontal", TWO)


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
    _lights(board, usb)


def _beams(board: Any, ground: Any, logic: Any) -> None:
    """Two infrared beams: diode above, transistor below; an inverter makes dark high."""
    for number, pin in ((1, "GP2"), (2, "GP3")):
        diode = _part(
            f"D{number}", "TSUS4300", "LED_THT:LED_D3.0mm", {"A": ("2", "passive"), "K": ("1", "passive")}
        )
        eye = _part(
            f"Q{number}", "BPW85", "LED_THT:LED_D3.0mm", {"C": ("2", "passive"), "E": ("1", "passive")}
        )
        series, load = _resistor(f"R{number}", 68), _resistor(f"R{number + 2}", 10_000)
        logic & series & diode["A"]
        diode["K"] += ground
        # Light pulls the collector down; a card lets it rise: high while covered.
        logic & load & eye["C"]
        eye["E"] += ground
        eye["C"] & board[pin]


def _flash(board: Any, ground: Any, usb: Any) -> None:
    """Six lamps in a row from a store at 27 V; two transistors hold their current whatever a lamp drops."""
    pins = {
        "IN+": ("1", "pwrin"),
        "IN-": ("2", "pwrin"),
        "OUT+": ("3", "passive"),
        "OUT-": ("4", "passive"),
    }
    step_up = _part("U4", "MT3608 module", "Connector_PinHeader_2.54mm:PinHeader_1x04_P2.54mm_Vertical", pins)
    store = Net("FLASH_SUPPLY")
    store_c = _part("C1", "470u 35V", "Capacitor_THT:CP_Radial_D10.0mm_P5.00mm", TWO)
    switch = _part(
        "Q3",
        "IRLZ24N",
        "Package_TO_SOT_THT:TO-220-3_Vertical",
        {"G": ("1", "input"), "D": ("2", "passive"), "S": ("3", "passive")},
    )
    limit = _part(
        "Q4",
        "BC337",
        "Package_TO_SOT_THT:TO-92_Inline",
        {"C": ("1", "passive"), "B": ("2", "passive"), "E": ("3", "passive")},
    )
    usb & step_up["IN+"]
    step_up["IN-"] += ground
    step_up["OUT-"] += ground
    step_up["OUT+"] & _resistor("R5", FEED_OHM) & store
    store_c["1"] += store
    store_c["2"] += ground
    gate = Net("GATE")
    board["GP5"] & _resistor("R6", 150) & gate
    gate & _resistor("R7", 10_000) & ground
    switch["G"] += gate
    # The lamps' current through R8 opens Q4 at 0.66 V, which takes the gate back.
    sense = Net("SENSE")
    switch["S"] += sense
    sense & _resistor("R8", SENSE_OHM) & ground
    limit["B"] += sense
    limit["C"] += gate
    limit["E"] += ground
    at = store
    for lamp in range(6):
        led = _part(
            f"D{10 + lamp}",
            "white 1 W, 3535",
            "LED_SMD:LED_Cree-XP",
            {"A": ("2", "passive"), "K": ("1", "passive")},
        )
        led["A"] += at
        at = Net(f"LAMP_{lamp + 1}") if lamp < 5 else Net("LAMPS_END")
        led["K"] += at
    switch["D"] += at


def _paper(board: Any, ground: Any, logic: Any) -> None:
    """A reflective sensor: paper lights its transistor and pulls the pin down, black a little."""
    pins = {"A": ("1", "passive"), "K": ("2", "passive"), "C": ("3", "passive"), "E": ("4", "passive")}
    eye = _part("U2", "QRE1113", "OptoDevice:OnSemi_CASE100AQ", pins)
    logic & _resistor("R20", REFLECTIVE.series_ohm) & eye["A"]
    eye["K"] += ground
    logic & _resistor("R21", REFLECTIVE.load_ohm) & eye["C"]
    eye["E"] += ground
    eye["C"] & board["GP26"]


def _thickness(board: Any, ground: Any, logic: Any) -> None:
    """The FDC1004 measures the foil under the cards and drives its shield; its module has pull-ups."""
    pins = {
        "VDD": ("1", "pwrin"),
        "GND": ("2", "pwrin"),
        "SDA": ("3", "bidir"),
        "SCL": ("4", "input"),
        "CIN1": ("5", "passive"),
        "SHLD1": ("6", "passive"),
    }
    module = _part("U3", "FDC1004 module", "Connector_PinHeader_2.54mm:PinHeader_1x06_P2.54mm_Vertical", pins)
    foils = _part(
        "C2",
        "foils",
        "Connector_PinHeader_2.54mm:PinHeader_1x03_P2.54mm_Vertical",
        {"measured": ("1", "passive"), "shield": ("2", "passive"), "roof": ("3", "passive")},
    )
    module["VDD"] += logic
    module["GND"] += ground
    module["SDA"] & board["GP8"]
    module["SCL"] & board["GP9"]
    module["CIN1"] & foils["measured"]
    module["SHLD1"] & foils["shield"]
    foils["roof"] += ground


def _lights(board: Any, usb: Any) -> None:
    """Six code lights from 5 V into their pins, three of them on: low is on."""
    for light in range(6):
        led = _part(
            f"D{20 + light}",
            "white 0805, wired",
            "Connector_PinHeader_2.54mm:PinHeader_1x02_P2.54mm_Vertical",
            {"A": ("2", "passive"), "K": ("1", "passive")},
        )
        usb & _resistor(f"R{30 + light}", CODE_LIGHT.series_ohm) & led["A"]
        led["K"] & board[f"GP{10 + light}"]


def nets(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Each net's name, and the pins on it as names of part and pin."""
    stop_log_file_output()
    with contextlib.chdir(folder):
        build()
        made: Any = vars(builtins)["default_circuit"]
        return {
            str(net.name): [(str(pin.part.ref), str(pin.name)) for pin in net.pins] for net in made.get_nets()
        }


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
