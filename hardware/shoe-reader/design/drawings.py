"""Pictures of the reader made from its solids: lines as SVG, what is hidden dashed."""

from pathlib import Path
from typing import Any, Final

from build123d import Compound, ExportSVG, LineType, Pos

from design.geometry import CARDS
from design.parts import card

VIEWS: Final = {
    "all": ((-160.0, -260.0, 170.0), (22.0, -44.0, -20.0)),
    "side": ((22.0, -600.0, -20.0), (22.0, -44.0, -20.0)),
    "from-below": ((60.0, 220.0, -260.0), (22.0, -44.0, -20.0)),
}
"""Where the eye is, and where it looks."""

APART: Final = {
    "roof": (0, 0, 40.0),
    "lamp-bars": (0, 0, -30.0),
    "chamber": (0, 0, -80.0),
    "clip": (-30.0, 0, 20.0),
}
"""How far parts are lifted from each other in the exploded view."""


def export(made: dict[str, Any], folder: Path) -> None:
    """Write the views: put together with a card in the mouth, and taken apart."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = Compound(children=[*(Pos(0, 0, 0) * solid for solid in made.values()), card(CARDS[0], 40.0)])
    for name, (eye, target) in VIEWS.items():
        _draw(whole, eye, target, folder / f"{name}.svg")
    apart = Compound(children=[Pos(*APART.get(name, (0, 0, 0))) * solid for name, solid in made.items()])
    _draw(apart, *VIEWS["all"], folder / "apart.svg")


def _draw(solid: Any, eye: tuple[float, ...], target: tuple[float, ...], path: Path) -> None:
    seen, hidden = solid.project_to_viewport(eye, look_at=target)
    size = max(*Compound(children=seen + hidden).bounding_box().size)
    svg = ExportSVG(scale=160 / size, margin=4)
    svg.add_layer("seen", line_weight=0.35)
    svg.add_layer("hidden", line_weight=0.12, line_color=(150, 150, 150), line_type=LineType.ISO_DOT)
    svg.add_shape(seen, layer="seen")
    svg.add_shape(hidden, layer="hidden")
    svg.write(str(path))
