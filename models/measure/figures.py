"""The report's curves as pictures for the documentation (SVG)."""

from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK: Final = "#1f2933"
LINE: Final = "#0b6e4f"
MARK: Final = "#c0392b"
LEAST_RISK: Final = 0.01
"""Top of the axis where hardly anything was wrong."""

STYLE: Final[Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "svg.hashsalt": "stand17",
    "svg.fonttype": "none",
}


def _save(figure: Figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def _curve(axes: Axes, title: str, steps: list[dict[str, float]]) -> None:
    axes.plot([step["coverage"] for step in steps], [step["risk"] for step in steps], color=LINE, lw=1.4)
    axes.set(title=title, xlabel="share accepted", ylabel="wrong of these", xlim=(0, 1.02))
    axes.set_ylim(0, max(LEAST_RISK, *(1.05 * step["risk"] for step in steps)))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.1%}")


def risk(report: dict[str, Any], path: Path) -> None:
    """Risk against coverage of single indices, one panel a source and one for drawn crops.

    The cross is where the reader stands: its cards, by its own thresholds.
    """
    sources = (report.get("photographs") or {}).get("sources", {})
    crops = report["stress"]["crops"]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(2.9 * (len(sources) + 1), 2.8))
        panels = figure.subplots(1, len(sources) + 1, squeeze=False)[0]
        for axes, (source, sums) in zip(panels, sources.items(), strict=False):
            _curve(axes, f"{source}: {sums['indices']:,} indices", sums["curve"])
            wrong = sums["wrong_without_label_errors"]
            accepted = sums.get("right", 0) + wrong
            axes.plot([accepted / sums["cards"]], [wrong / accepted], "x", color=MARK, ms=8, mew=2)
        _curve(panels[-1], f"drawn crops: {crops['offered']:,}", crops["curve"])
        whole = crops["in_all"]["readable"]
        risk_now = whole.get("wrong", 0) / whole["accepted"]
        panels[-1].plot([whole["coverage"]], [risk_now], "x", color=MARK, ms=8, mew=2)
        _save(figure, path)


def _bars(axes: Axes, rows: dict[str, Any], title: str) -> None:
    """Coverage as bars, silent errors per million and their bounds written beside them."""
    names = list(rows)[::-1]
    axes.barh(names, [rows[name]["coverage"] or 0 for name in names], color=LINE, height=0.7)
    axes.set(title=title, xlim=(0, 1.5), xlabel="share of readable indices that is read")
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1.0])
    for slot, name in enumerate(names):
        rate, bound = rows[name]["silent_per_million"], rows[name]["bound_per_million"]
        words = "none accepted" if rate is None else f"{rate:,.0f} (< {bound:,.0f})"
        axes.text(1.03, slot, words, va="center", color=MARK if rate else INK)


def stress(report: dict[str, Any], path: Path) -> None:
    """Coverage and silent errors per million accepted (95 % bound) of drawn crops by height and by fault."""
    crops = report["stress"]["crops"]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 4.6))
        heights, faults = figure.subplots(1, 2)
        _bars(heights, crops["by_height"], "by index height, px; right: silent errors per million")
        _bars(faults, crops["by_fault"], f"by fault, index {crops['by_fault_from_px']} px and more")
        _save(figure, path)
