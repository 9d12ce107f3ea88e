"""How a floor's figures grow with its tables, as a picture."""

from collections.abc import Iterator, Mapping, Sequence
from math import log2, log10
from typing import Any

WIDTH, HEIGHT = 640, 360
LEFT, TOP, RIGHT, BOTTOM = 60, 24, 470, 310
LEAST_MS, MOST_MS = 1, 1000
LIMIT_MS = 250
LINES = (
    ("state_to_pit", "p50", "state to pit", "#2166ac"),
    ("state_to_pit", "p99", "state to pit", "#2166ac"),
    ("command_to_answer", "p50", "command answered", "#b2182b"),
    ("command_to_answer", "p99", "command answered", "#b2182b"),
    ("commit", "p99", "commit of a table", "#1a1a1a"),
)
"""Medians are dashed."""


def growth_plot(found: Sequence[Mapping[str, Any]]) -> str:
    """An SVG of what `tests.measures.floor` found of each number of tables, both axes logarithmic."""
    counts = [one["tables"] for one in found]

    def x(tables: int) -> float:
        return round(LEFT + log2(tables / counts[0]) / log2(counts[-1] / counts[0]) * (RIGHT - LEFT), 1)

    drawn = [*_axes(), *(_text(x(one), BOTTOM + 18, str(one), "middle") for one in counts)]
    for at, (what, cut, name, colour) in enumerate(LINES):
        dash = ' stroke-dasharray="5 4"' if cut == "p50" else ""
        points = " ".join(f"{x(one['tables'])},{_y(one[what][cut])}" for one in found)
        drawn.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        y = TOP + 18 * (at + 1)
        drawn.append(f'<path d="M{RIGHT + 8} {y - 4}h20" stroke="{colour}" stroke-width="2"{dash}/>')
        drawn.append(_text(RIGHT + 32, y, f"{name}, {cut}", "start"))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'font-family="sans-serif" font-size="12">',
            '<rect width="100%" height="100%" fill="#fff"/>',
            *drawn,
            "</svg>",
            "",
        ]
    )


def _axes() -> Iterator[str]:
    for at_ms in (LEAST_MS, 10, 100, MOST_MS):
        yield f'<path d="M{LEFT} {_y(at_ms)}H{RIGHT}" stroke="#ddd"/>'
        yield _text(LEFT - 8, _y(at_ms) + 4, f"{at_ms} ms", "end")
    yield f'<path d="M{LEFT} {_y(LIMIT_MS)}H{RIGHT}" stroke="#888" stroke-dasharray="2 3"/>'
    yield _text(LEFT + 4, _y(LIMIT_MS) - 4, f"{LIMIT_MS} ms", "start")
    yield _text((LEFT + RIGHT) / 2, HEIGHT - 12, "tables", "middle")


def _y(at_ms: float) -> float:
    part = log10(min(max(at_ms, LEAST_MS), MOST_MS) / LEAST_MS) / log10(MOST_MS / LEAST_MS)
    return round(BOTTOM - part * (BOTTOM - TOP), 1)


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{words}</text>'
