"""Figures of a training run: error bounds, risk by band, temperature, the run's record, the model card.

People write the rest of the card (purpose, data, licences, weaknesses); it stays unchanged. Nothing here
needs PyTorch.
"""

import json
import platform
import subprocess
import tomllib
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.special import betaincinv, log_softmax

from models.crops import IGNORE
from vision.geometry import Image, Points
from vision.reading import STATES


def upper_bound(errors: int, trials: int, level: float = 0.95) -> float:
    """One-sided exact upper bound of an error rate (Clopper and Pearson, 1934), 1 without trials.

    It is the rate at which at most `errors` errors occur with probability 1 - `level`.
    """
    return 1.0 if errors >= trials else float(betaincinv(errors + 1, trials - errors, level))


def risk_coverage(scores: Iterable[tuple[float, bool]], offered: int) -> list[dict[str, float]]:
    """The curve of all thresholds, from the strictest: scores with right or wrong, of `offered` in all.

    Each step has the accepted share as `coverage`, and the wrong share of the accepted as `risk`.
    """
    steps: list[dict[str, float]] = []
    wrong = 0
    ranked: Sequence[tuple[float, bool]] = sorted(scores, key=lambda pair: -pair[0])
    for accepted, (score, right) in enumerate(ranked, start=1):
        wrong += not right
        if accepted == len(ranked) or ranked[accepted][0] < score:
            steps.append({"coverage": accepted / max(offered, 1), "risk": wrong / accepted})
    return steps


_RANK_BANDS_PX: Final = (1, 6, 9, 12, 16, 24, 40, 1000)
"""Edges of the bands. 16 and 24 px are what a camera's set-up has to give and ought to give."""

_THRESHOLDS: Final = (0.5, 0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999)
NO_INDEX: Final = "no index"
"""The band of crops without an index: whatever is accepted there is wrong."""


class Reads(NamedTuple):
    """n crops: how sure the network is of a card (0..1), and whether it may and does read the right one."""

    p: Points
    readable: Points
    right: Points


def reads_of(scores: list[Points], labels: Image) -> Reads:
    """From probabilities of rank, suit and state (n x classes each) and the labels (n x 3)."""
    rank, suit, state = scores
    readable = labels[:, 2] == STATES.index("index")
    right = (rank.argmax(1) == labels[:, 0]) & (suit.argmax(1) == labels[:, 1]) & readable
    return Reads(rank.max(1) * suit.max(1) * state[:, STATES.index("index")], readable, right)


def risk_by_band(reads: Reads, rank_px: Points) -> list[dict[str, Any]]:
    """Return one row a band of _RANK_BANDS_PX, and a last one for crops without an index."""
    names = [f"{low}-{high}" for low, high in pairwise(_RANK_BANDS_PX)]
    bands = np.digitize(rank_px, _RANK_BANDS_PX[:-1])
    rows = []
    for number, name in (*enumerate(names, start=1), (0, NO_INDEX)):
        band = Reads(*(column[bands == number] for column in reads))
        readable = int(band.readable.sum())
        steps = [_step(band, least, readable) for least in _THRESHOLDS]
        rows.append({"rank_px": name, "readable": readable, "steps": steps})
    return rows


def _step(reads: Reads, least: float, readable: int) -> dict[str, float | None]:
    """Coverage is of the readable crops, risk of the accepted ones with its upper bound of 95 %."""
    certain = reads.p >= least
    accepted, wrong = int(certain.sum()), int((certain & ~reads.right).sum())
    return {
        "p_at_least": least,
        "accepted": accepted,
        "wrong": wrong,
        "coverage": (accepted - wrong) / readable if readable else None,
        "risk": wrong / accepted if accepted else None,
        "risk_at_most": upper_bound(wrong, accepted),
    }


_LOG_RANGE: Final = (float(np.log(0.05)), float(np.log(20.0)))
"""Natural logarithms of the least and the greatest temperature that is tried."""


def fit_temperature(heads: Sequence[Points], labels: Image) -> float:
    """The temperature that makes the labels of held-out crops likeliest, one for all heads.

    `heads` are logits (n x classes each), `labels` (n x heads) has IGNORE where a head is not asked.
    Raises ValueError when there is no label at all.
    """
    labelled = [
        (logits[known], labels[known, slot])
        for slot, logits in enumerate(heads)
        if (known := labels[:, slot] != IGNORE).any()
    ]
    if not labelled:
        raise ValueError("A temperature needs labelled crops.")
    # Not above: it takes half a second, and every worker of the tests imports this module.
    from scipy.optimize import minimize_scalar  # noqa: PLC0415 - see the comment

    found = minimize_scalar(lambda log: _unlikelihood(labelled, float(np.exp(log))), None, _LOG_RANGE)
    return float(np.exp(found.x))


def _unlikelihood(labelled: Sequence[tuple[Points, Points]], temperature: float) -> float:
    """Summed negative log likelihood of the labels."""
    return -sum(
        float(log_softmax(logits / temperature, 1)[np.arange(len(labels)), labels].sum())
        for logits, labels in labelled
    )


ROOT: Final = Path(__file__).resolve().parents[1]
FILE: Final = "training.json"
PACKAGES: Final = ("numpy", "onnx", "onnxruntime", "onnxscript", "opencv-python-headless", "scipy", "torch")


class RunRecord(NamedTuple):
    """The facts of one training run: configuration, source commit, versions of the libraries."""

    configuration: dict[str, Any]
    source: dict[str, Any] | None
    versions: dict[str, str]

    def write(self, folder: Path, **figures: object) -> None:
        """Write FILE into a network's folder; `figures` are measurements of this network."""
        text = json.dumps({**self._asdict(), **figures}, indent=1, sort_keys=True)
        (folder / FILE).write_text(text + "\n", encoding="utf-8")


def begin_run(**configuration: object) -> RunRecord:
    """The record of a run that begins now, with all that decides its result."""
    return RunRecord(dict(configuration), _source(), _versions())


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _source() -> dict[str, Any] | None:
    """The commit, and whether tracked files differ from it; None outside a repository."""
    commit = _git("rev-parse", "HEAD")
    if commit is None:
        return None
    return {"commit": commit, "changed": bool(_git("status", "--porcelain", "--untracked-files=no"))}


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


CARD: Final = Path(__file__).with_name("MODEL_CARD.md")
BEGIN: Final = "<!-- measured: written by models.train -->"
END: Final = "<!-- measured: end -->"

NETWORKS: Final = ("glance", "index", "body", "survey")
_NO_SHARES: Final = ("threshold", "false_a_picture")
"""Metrics that begin so are numbers, not shares."""


def _printed(name: str, value: float) -> str:
    number = f"{value:.4g}" if name.startswith(_NO_SHARES) else f"{value:.2%}"
    return f"{name.replace('_', ' ')} {number}"


def _network_row(folder: Path) -> str:
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
    return "\n".join([*head, "|" + "---|" * 5, *(_network_row(folder) for folder in folders)])


def write_card(models: Path) -> None:
    """Writes `MODEL_CARD.md` into a folder of networks: the card as it is, with their figures."""
    before, rest = CARD.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    text = f"{before}{BEGIN}\n{_figures_of(models)}\n{END}{after}"
    (models / CARD.name).write_text(text, encoding="utf-8")
