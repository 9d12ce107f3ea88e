"""Options that several commands have alike."""

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.json_words import OPTION

AsJson = Annotated[bool, typer.Option(OPTION, help="Print one JSON object.")]
"""The option of every command that answers once."""

Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
"""Of every command that writes a file; see `controller.outputs.Outputs`."""


def _complete_house(incomplete: str) -> list[str]:
    """The shipped houses that a shell completes where a rule file may be named, too."""
    from controller.rules import HOUSES

    return [house for house in HOUSES if house.startswith(incomplete)]


def _complete_camera(context: typer.Context, incomplete: str) -> list[str]:
    """The cameras of the configuration that stands on the line."""
    import tomllib

    config = next((word for word in context.args if word.endswith(".toml")), None)
    try:
        cameras = tomllib.loads(Path(config).read_text(encoding="utf-8"))["camera"] if config else []
        names = [str(camera["name"]) for camera in cameras]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [name for name in names if name.startswith(incomplete)]


CameraName = Annotated[
    str | None,
    typer.Option("--camera", help="Which camera of the configuration.", autocompletion=_complete_camera),
]
HouseOrFile = Annotated[
    str, typer.Argument(help="A house or the path of a rule file.", autocompletion=_complete_house)
]
DealtRules = Annotated[
    str,
    typer.Option("--rules", help="A house such as nl, or a rule file.", autocompletion=_complete_house),
]
