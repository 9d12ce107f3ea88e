"""The stripboard: where each lead goes, which strips are cut, and drawings of both of its sides.

26 strips of 17 holes; a place is (strip, hole), both from 1, seen from the parts' side with the Pico's USB
plug to the left. `tests/hardware` compares it with the circuit's own nets.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

Place = tuple[int, int]

_STRIPS: Final = 26
HOLES: Final = 17
CUT: Final = 8
"""Every strip under the Pico is cut at this hole."""

_PICO_ROWS: Final = (5, 12)
"""Holes of its pins 1 to 20, and of 40 to 21."""

LEADS: Final[dict[str, dict[str, Place]]] = {
    "R1": {"1": (6, 3), "2": (2, 3)},
    "R2": {"1": (6, 6), "2": (1, 6)},
    "R3": {"1": (6, 1), "2": (4, 1)},
    "R4": {"1": (6, 2), "2": (5, 4)},
    "R5": {"1": (25, 8), "2": (26, 11)},
    "R6": {"1": (7, 2), "2": (10, 2)},
    "R7": {"1": (10, 4), "2": (8, 4)},
    "R8": {"1": (23, 10), "2": (24, 13)},
    "R20": {"1": (5, 14), "2": (7, 14)},
    "R21": {"1": (5, 16), "2": (10, 16)},
    "Q4": {"E": (8, 6), "B": (9, 6), "C": (10, 6)},
    "Q3": {"G": (21, 2), "D": (22, 2), "S": (23, 2)},
    "C1": {"1": (26, 5), "2": (24, 5)},
}
"""Parts on the board, by the circuit's names of their pins; resistors lie or stand as their holes allow."""

LINKS: Final = (
    ((5, 9), (6, 7)),
    ((10, 7), (21, 7)),
    ((9, 1), (23, 1)),
    ((13, 3), (24, 3)),
)
"""Wires on the parts' side."""

WIRES: Final[dict[tuple[str, str], tuple[Place, str]]] = {
    ("D1", "A"): ((2, 1), "red"),
    ("D1", "K"): ((3, 1), "black"),
    ("D2", "A"): ((1, 1), "red"),
    ("D2", "K"): ((3, 2), "black"),
    ("Q1", "C"): ((4, 7), "yellow"),
    ("Q1", "E"): ((3, 4), "black"),
    ("Q2", "C"): ((5, 7), "yellow"),
    ("Q2", "E"): ((3, 6), "black"),
    ("U2", "A"): ((7, 16), "red"),
    ("U2", "K"): ((13, 13), "black"),
    ("U2", "C"): ((10, 14), "yellow"),
    ("U2", "E"): ((13, 14), "black"),
    ("U3", "VDD"): ((5, 13), "red"),
    ("U3", "GND"): ((13, 15), "black"),
    ("U3", "SDA"): ((11, 2), "green"),
    ("U3", "SCL"): ((12, 2), "blue"),
    ("C2", "roof"): ((13, 16), "black"),
    ("U4", "IN+"): ((1, 14), "red"),
    ("U4", "IN-"): ((3, 14), "black"),
    ("U4", "OUT+"): ((25, 15), "orange"),
    ("U4", "OUT-"): ((24, 15), "black"),
    ("D10", "A"): ((26, 14), "orange"),
    ("D15", "K"): ((22, 10), "white"),
    **{(f"R{30 + light}", "1"): ((1, 16), "red") for light in range(6)},
    **{
        (f"D{20 + light}", "K"): ((strip, 2), "violet")
        for light, strip in enumerate((14, 15, 16, 17, 19, 20))
    },
}
"""Wires that leave the board: whose pin, from where, their colour. The code lights' resistors sit in them."""


def pico_pin(number: int) -> Place:
    """Where a pin of the Pico is."""
    return (number, _PICO_ROWS[0]) if number <= 20 else (41 - number, _PICO_ROWS[1])


def segment(place: Place) -> tuple[int, int]:
    """The piece of copper that a hole belongs to: strip, and 0 or 1 on which side of its cut."""
    strip, hole = place
    if strip <= 20 and hole == CUT:
        raise ValueError(f"{place} is cut")
    return strip, int(strip <= 20 and hole > CUT)


def joined() -> dict[tuple[int, int], tuple[int, int]]:
    """Each piece of copper, and one that stands for all that links join with it."""
    of = {segment((strip, hole)): segment((strip, hole)) for strip in range(1, 27) for hole in (1, HOLES)}
    for begin, end in LINKS:
        one, other = of[segment(begin)], of[segment(end)]
        of = {piece: other if stands == one else stands for piece, stands in of.items()}
    return of


def export(folder: Path) -> None:
    """Draw the board from the parts' side and from the copper's."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, turned in (("board-parts", False), ("board-copper", True)):
        (folder / f"{name}.svg").write_text(_drawn(turned), encoding="utf-8")


_PITCH: Final = 20
COLOURS: Final = {"red": "#c00", "black": "#111", "yellow": "#a80", "green": "#060", "blue": "#00a"} | {
    "orange": "#d60",
    "white": "#888",
    "violet": "#708",
}


def _drawn(turned: bool) -> str:
    """One side as SVG; from the copper's side left and right are exchanged."""
    wide, high = (_STRIPS + 1) * _PITCH, (HOLES + 1) * _PITCH

    def at(place: Place) -> tuple[int, int]:
        strip = _STRIPS + 1 - place[0] if turned else place[0]
        return strip * _PITCH, place[1] * _PITCH

    lines = [f'<rect width="{wide}" height="{high}" fill="#fff"/>', *_copper(at, high)]
    if not turned:
        x, y = at((1, _PICO_ROWS[0]))
        box = f'x="{x - 10}" y="{y - 10}" width="{20 * _PITCH}" height="{7 * _PITCH + 20}"'
        lines.append(f'<rect {box} fill="#7c7" fill-opacity="0.35" stroke="#060"/>')
        lines.append(_text(x + 190, y + 3.5 * _PITCH + 16, "Raspberry Pi Pico, USB to the left"))
    for begin, end in LINKS:
        (x0, y0), (x1, y1) = at(begin), at(end)
        lines.append(f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="#00a" stroke-width="2"/>')
    for ref, pins in LEADS.items():
        ends = [at(place) for place in pins.values()]
        (x0, y0), (x1, y1) = ends[0], ends[-1]
        lines.append(f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="#630" stroke-width="5"/>')
        lines += [f'<circle cx="{x}" cy="{y}" r="3.5" fill="#630"/>' for x, y in ends]
        lines.append(_text((x0 + x1) / 2, (y0 + y1) / 2 - 5, ref))
    labels: dict[Place, tuple[str, str]] = {}
    for (ref, pin), (place, colour) in WIRES.items():
        labels[place] = "code lights" if ref == "R30" or place in labels else f"{ref} {pin}", colour
    for place, (words, colour) in labels.items():
        x, y = at(place)
        lines.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{COLOURS[colour]}"/>')
        lines.append(_text(x, y + (9 if place[0] % 2 else 14), words, COLOURS[colour], 6))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif">'
    return "\n".join([head, *lines, "</svg>"]) + "\n"


def _text(x: float, y: float, words: str, colour: str = "#111", size: int = 8) -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="middle" font-size="{size}">{words}</text>'


def _copper(at: Callable[[Place], tuple[int, int]], high: int) -> Iterator[str]:
    """Strips with their numbers, holes and cuts."""
    for strip in range(1, _STRIPS + 1):
        x, _ = at((strip, 1))
        yield f'<rect x="{x - 7}" y="12" width="14" height="{high - 24}" fill="#f0d9b5"/>'
        yield _text(x, 9, str(strip))
        for hole in range(1, HOLES + 1):
            yield f'<circle cx="{x}" cy="{hole * _PITCH}" r="2" fill="#fff"/>'
        if strip <= 20:
            yield f'<circle cx="{x}" cy="{CUT * _PITCH}" r="8" fill="#fff" stroke="#c00"/>'
