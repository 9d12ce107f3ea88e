"""Pictures of the reader made from its solids: lines as SVG, what is hidden dashed; one for each step."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from build123d import Compound, ExportSVG, LineType, Pos

from design import stripboard
from design.geometry import CARDS
from design.parts import camera, card, mirror, pane

Offset = tuple[float, float, float]

_ABOVE: Final = ((-260.0, -420.0, 300.0), (40.0, -50.0, -20.0))
_BELOW: Final = ((190.0, 330.0, -420.0), (30.0, -50.0, -20.0))
"""Where the eye is, and where it looks."""


class Step(NamedTuple):
    """A drawing: what is seen, each part moved by so much, and from where. `seen`: without hidden lines."""

    name: str
    parts: dict[str, Offset]
    view: tuple[Offset, Offset] = _ABOVE


HERE: Final = (0.0, 0.0, 0.0)

STEPS: Final = (
    Step("1-foils", {"floor": HERE, "foil-cover": (0.0, 0.0, -30.0)}, _BELOW),
    Step("2-roof", {"floor": HERE, "roof-window": (0.0, 0.0, 40.0), "roof-foils": (0.0, 0.0, 40.0)}),
    Step("3-mirror", {"chamber": HERE, "mirror": (0.0, 30.0, 40.0)}),
    Step(
        "4-camera",
        {"chamber": HERE, "mirror": HERE, "carriage": (0.0, 0.0, 60.0), "camera": (0.0, 50.0, 60.0)},
    ),
    Step(
        "5-chamber",
        {
            "floor": HERE,
            "pane": (0.0, 0.0, -35.0),
            "chamber": (0.0, 0.0, -80.0),
            "mirror": (0.0, 0.0, -80.0),
            "carriage": (0.0, 0.0, -80.0),
        },
    ),
    Step(
        "6-tray",
        {"floor": HERE, "chamber": HERE, "tray": (0.0, 0.0, -60.0), "clamp": (0.0, -60.0, -30.0)},
        _BELOW,
    ),
    Step(
        "7-table",
        dict.fromkeys(("floor", "foil-cover", "roof-window", "roof-foils", "chamber", "tray"), HERE)
        | {"slide": (40.0, 0.0, 0.0), "plinth": (-40.0, 0.0, 0.0), "plinth-rear": (-190.0, 0.0, 0.0)},
    ),
)
"""Steps in their order; the stripboard has drawings of its own."""

APART: Final = {
    "roof-window": (0.0, 0.0, 55.0),
    "roof-foils": (0.0, 0.0, 55.0),
    "pane": (0.0, 0.0, -30.0),
    "foil-cover": (0.0, 0.0, -30.0),
    "mirror": (0.0, 0.0, -75.0),
    "camera": (0.0, 0.0, -75.0),
    "carriage": (0.0, 0.0, -75.0),
    "chamber": (0.0, 0.0, -110.0),
    "tray": (0.0, -40.0, -110.0),
    "clamp": (0.0, -40.0, -80.0),
    "slide": (60.0, 0.0, -40.0),
    "plinth": (-60.0, 0.0, -40.0),
}
"""How far parts are lifted from each other in the exploded view."""


def export(made: dict[str, Any], folder: Path) -> None:
    """Write the views: put together with a card on its way, taken apart, and one for each step."""
    folder.mkdir(parents=True, exist_ok=True)
    every = made | {"pane": pane(), "mirror": mirror(), "camera": camera()}
    every["plinth-rear"] = made["plinth"]
    together = [*made.values(), Pos(-110, 0, 0) * made["plinth"], card(CARDS[0], 60.0)]
    _draw(together, _ABOVE, folder / "all.svg")
    _draw(together, _BELOW, folder / "from-below.svg")
    _draw(
        [Pos(*offset) * every[name] for name, offset in APART.items()] + [every["floor"]],
        _ABOVE,
        folder / "apart.svg",
    )
    for step in STEPS:
        solids = [Pos(*offset) * every[name] for name, offset in step.parts.items()]
        _draw(solids, step.view, folder / f"{step.name}.svg")
    stripboard.export(folder)


def _draw(solids: Iterable[Any], view: tuple[Offset, Offset], path: Path) -> None:
    eye, target = view
    whole = Compound(children=[Pos(0, 0, 0) * solid for solid in solids])
    seen, _ = whole.project_to_viewport(eye, look_at=target)
    size = max(*Compound(children=seen).bounding_box().size)
    svg = ExportSVG(scale=160 / size, margin=4, precision=2)
    svg.add_layer("seen", line_weight=0.3, line_type=LineType.CONTINUOUS)
    svg.add_shape(seen, layer="seen")
    svg.write(str(path))
