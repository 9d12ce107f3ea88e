"""Write a training run's measurements into the model card, beside its networks.

People write the rest of the card (purpose, data, licences, weaknesses); it stays unchanged.
"""

import tomllib
from pathlib import Path
from typing import Final

CARD: Final = Path(__file__).with_name("MODEL_CARD.md")
BEGIN: Final = "<!-- measured: written by models.train -->"
END: Final = "<!-- measured: end -->"

NETWORKS: Final = ("glance", "index", "body", "survey")
_NO_SHARES: Final = ("threshold", "false_a_picture")
"""Metrics that begin so are numbers, not shares."""


def _printed(name: str, value: float) -> str:
    number = f"{value:.4g}" if name.startswith(_NO_SHARES) else f"{value:.2%}"
    return f"{name.replace('_', ' ')} {number}"


def _row(folder: Path) -> str:
    """Return one network's row: file, hash and metrics from its manifest."""
    manifest = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    kilobytes = (folder / manifest["file"]).stat().st_size / 1000
    art = "with card art" if manifest["trained_with_art"] else "without card art"
    figures = ", ".join(_printed(name, value) for name, value in sorted(manifest["metrics"].items()))
    return f"| {folder.name} | {kilobytes:.0f} | `{manifest['sha256'][:12]}` | {art} | {figures} |"


def _figures_of(models: Path) -> str:
    """The table of all networks that lie in a folder, in Markdown."""
    folders = [models / name for name in NETWORKS if (models / name / "manifest.toml").is_file()]
    head = ["| network | kB | sha256 begins | taught | measured on drawings of decks and fonts left out |"]
    return "\n".join([*head, "|" + "---|" * 5, *(_row(folder) for folder in folders)])


def write_card(models: Path) -> None:
    """Writes `MODEL_CARD.md` into a folder of networks: the card as it is, with their figures."""
    before, rest = CARD.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    text = f"{before}{BEGIN}\n{_figures_of(models)}\n{END}{after}"
    (models / CARD.name).write_text(text, encoding="utf-8")
