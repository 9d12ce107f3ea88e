"""Builds everything of the reader that comes from code: `python -m design.build FOLDER`."""

import json
import sys
from pathlib import Path

from design import bom, circuit, drawings, parts
from design.geometry import READER
from design.light import code_ampere, filled, flash_lux, headroom_volt, lamp_ampere, stuck_ampere, usb_ampere
from design.thickness import counts, hand_share


def main() -> None:
    """Write printed parts, drawings, netlist, bill of materials and the arithmetic into a folder."""
    folder = Path(sys.argv[1])
    made = parts.export(folder / "print")
    drawings.export(made, folder / "drawings")
    errors, warnings = circuit.export(folder / "circuit")
    bom.export(folder / "bom.md")
    x, y = READER.window.middle
    figures = {
        "mouth_above_felt_mm": READER.felt_mm(),
        "lamp_ampere": lamp_ampere(),
        "lamp_headroom_volt": headroom_volt(3.9),
        "lamp_ampere_if_stuck": stuck_ampere(),
        "code_light_ampere": code_ampere(),
        "usb_ampere": usb_ampere(),
        "blur_px_at_2_m_s": READER.blur_px(2.0),
        "depth_mm": READER.depth_mm(),
        "scale_filled_in_the_middle": filled(flash_lux((x, y)) * lamp_ampere()[0] * READER.flash_us / 1e6),
        "counts_of_a_card": round(counts(1)),
        "hand_at_5_mm_in_cards": hand_share(hand_mm=5.0),
        "finger_in_the_slot_in_cards": hand_share(finger=True),
        "bom_eur": bom.total_eur(),
        "erc_errors": errors,
        "erc_warnings": warnings,
    }
    (folder / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{json.dumps(figures, indent=1)}\nwritten to {folder}\n")
    if errors:
        sys.exit(1)


if __name__ == "__main__":
    main()
