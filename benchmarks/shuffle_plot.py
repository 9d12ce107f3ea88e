"""The longest runs of honest six-pack shoes as a picture: an SVG of a line for each number of riffles."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import log10
from typing import Any, Final

from controller.forensics.runs import FOLLOWED
from controller.forensics.watch import SUSPECT_SUITED

WIDTH: Final = 640
HEIGHT: Final = 360
LEFT: Final = 70
TOP: Final = 20
RIGHT: Final = 540
BOTTOM: Final = 310
FIRST: Final = 4
MEASURED: Final = range(FIRST, 9)
LEAST: Final = -12
"""The lowest share that is drawn, as a power of ten."""
COLOURS: Final = ("#b2182b", "#d6604d", "#e08214", "#4393c3", "#2166ac", "#1a1a1a")


def plot(cells: Mapping[str, Any], tail: Callable[[Any], float], packs: int = 6) -> str:
    """Draw these cells of `benchmarks.shuffle`: as measured, then dashed to what `tail` says of 12."""
    rows = [(name.split("/")[1], cell) for name, cell in cells.items() if name.startswith(f"{packs}/")]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        *_axes(packs),
    ]
    for at, (riffles, cell) in enumerate(rows):
        lines += _curve(at, riffles, cell, tail(cell))
    return "\n".join([*lines, "</svg>", ""])


def _axes(packs: int) -> Iterator[str]:
    for power in range(LEAST, 1, 2):
        y = _y(10.0**power)
        yield f'<path d="M{LEFT} {y}H{RIGHT}" stroke="#ddd"/>'
        yield _text(LEFT - 8, y + 4, f"1e{power}" if power else "1", "end")
    for length in range(FIRST, SUSPECT_SUITED + 1):
        yield _text(_x(length), BOTTOM + 18, str(length), "middle")
    for length, name in ((FOLLOWED, "a finding"), (SUSPECT_SUITED, "stops the table")):
        yield f'<path d="M{_x(length)} {TOP}V{BOTTOM}" stroke="#888" stroke-dasharray="2 3"/>'
        yield _text(_x(length), TOP - 6, name, "middle")
    yield _text((LEFT + RIGHT) / 2, HEIGHT - 10, "cards in a row that keep their order, or more", "middle")
    middle = (TOP + BOTTOM) / 2
    yield (
        f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">'
        f"share of honest shoes of {packs} packs</text>"
    )


def _curve(at: int, riffles: str, cell: Mapping[str, Any], last: float) -> Iterator[str]:
    """Yield the measured points as far as shoes were seen, then the formula to a stopping run."""
    runs = {length: cell["runs"][str(length)] for length in MEASURED}
    seen = [(float(length), found / cell["shoes"]) for length, found in runs.items() if found]
    ink = f'fill="none" stroke="{COLOURS[at % len(COLOURS)]}" stroke-width="2"'
    yield _line(seen, ink)
    if last:
        length, share = seen[-1]
        # Where the line would leave the picture it ends at its foot.
        fall = (log10(last) - log10(share)) / (SUSPECT_SUITED - length)
        ends = min(SUSPECT_SUITED, length + (LEAST - log10(share)) / fall)
        yield _line([seen[-1], (ends, max(10.0**LEAST, last))], f'{ink} stroke-dasharray="6 4"')
    y = TOP + 16 * (at + 1)
    yield f'<path d="M{RIGHT + 10} {y - 4}h20" {ink}/>'
    yield _text(RIGHT + 36, y, f"{riffles} riffles", "start")


def _line(points: Iterable[tuple[float, float]], ink: str) -> str:
    """A line through lengths and their shares."""
    drawn = " ".join(f"{_x(length)},{_y(share)}" for length, share in points)
    return f'<polyline points="{drawn}" {ink}/>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{words}</text>'


def _x(length: float) -> float:
    return round(LEFT + (length - FIRST) / (SUSPECT_SUITED - FIRST) * (RIGHT - LEFT), 1)


def _y(share: float) -> float:
    return round(TOP + log10(share) / LEAST * (BOTTOM - TOP), 1)
