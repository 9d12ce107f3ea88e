"""What a training run tells of its networks: a fitted temperature, the risk by size, how it was made."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models import figures
from models.crops import IGNORE
from models.figures import NO_INDEX, begin_run, fit_temperature, reads_of, risk_by_band, upper_bound
from vision.reading import RANKS, STATES, SUITS

INDEX, NONE = STATES.index("index"), STATES.index("none")


def drawn_labels(logits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Labels that come as often as the softmax of the logits says."""
    power = np.exp(logits)
    shares = np.cumsum(power / power.sum(1, keepdims=True), 1)
    return np.asarray((rng.random((len(logits), 1)) > shares).sum(1))


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_the_temperature_undoes_what_stretched_the_logits(factor: float) -> None:
    rng = np.random.default_rng(5)
    true = [rng.normal(0, 2, (4000, size)) for size in (len(RANKS), len(SUITS), len(STATES))]
    labels = np.stack([drawn_labels(head, rng) for head in true], 1)
    labels[::3, 0] = IGNORE
    assert fit_temperature([factor * head for head in true], labels) == pytest.approx(factor, rel=0.05)


def test_a_temperature_without_any_label_is_refused() -> None:
    with pytest.raises(ValueError, match="labelled"):
        fit_temperature([np.zeros((2, 13))], np.full((2, 1), IGNORE))


def scores(p: list[float], ranks: list[int], states: list[int]) -> list[np.ndarray]:
    """Probabilities of crops that are read as clubs of these ranks, as surely as `p`."""
    rank, suit, state = (np.zeros((len(p), size)) for size in (len(RANKS), len(SUITS), len(STATES)))
    rows = np.arange(len(p))
    rank[rows, ranks], suit[:, 0], state[rows, states] = p, 1.0, 1.0
    return [rank, suit, state]


def row(table: list[dict[str, Any]], band: str) -> dict[str, Any]:
    return next(entry for entry in table if entry["rank_px"] == band)


def test_risk_and_coverage_are_told_for_each_band() -> None:
    labels = np.array([(3, 0, INDEX), (3, 0, INDEX), (3, 0, INDEX), (3, 0, INDEX), (IGNORE, IGNORE, NONE)])
    rank_px = np.array([10.0, 10.0, 10.0, 30.0, 0.0])
    told = scores([0.96, 0.96, 0.6, 0.9995, 0.92], [3, 4, 3, 3, 3], [INDEX] * 5)
    table = risk_by_band(reads_of(told, labels), rank_px)
    small = {step["p_at_least"]: step for step in row(table, "9-12")["steps"]}
    assert row(table, "9-12")["readable"] == 3
    assert (small[0.5]["accepted"], small[0.5]["wrong"]) == (3, 1)
    assert small[0.5]["coverage"] == pytest.approx(2 / 3)
    assert small[0.95]["risk"] == pytest.approx(1 / 2)
    assert small[0.95]["risk_at_most"] == upper_bound(1, 2)
    assert (small[0.975]["accepted"], small[0.975]["risk"]) == (0, None)
    assert row(table, "24-40")["steps"][-1]["coverage"] == 1.0
    without = row(table, NO_INDEX)
    assert without["readable"] == 0
    assert [step["wrong"] for step in without["steps"]] == [1, 1, 1, 0, 0, 0, 0, 0]


def test_a_run_writes_configuration_commit_versions_and_figures(tmp_path: Path) -> None:
    begin_run(seed=17, crops=300).write(tmp_path, temperature=0.8)
    told = json.loads((tmp_path / figures.FILE).read_text(encoding="utf-8"))
    assert told["configuration"] == {"seed": 17, "crops": 300}
    assert len(told["source"]["commit"]) == 40
    assert isinstance(told["source"]["changed"], bool)
    assert {"python", "numpy", "scipy", "opencv-python-headless"} <= set(told["versions"])
    assert told["temperature"] == 0.8


def test_a_run_outside_a_repository_has_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    assert begin_run(seed=17).source is None
