"""A profile's file: what is written is what is read, and what was changed is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from controller.domain import ConfigError
from tests.vision.enrolment.deck_kit import made_up_profile
from vision.enrolment import load_profile, open_with_deck, write_profile
from vision.networks import deck_scores, fit_classes


def test_a_profile_reads_as_it_was_written(tmp_path: Path) -> None:
    made, features = made_up_profile()
    written = write_profile(made, tmp_path / "deck.profile")
    read = load_profile(tmp_path / "deck.profile")
    assert (read.figures, read.pictures, read.sha256) == (made.figures, made.pictures, written.sha256)
    assert read.deck.index_px == 18.0
    for before, after in zip(deck_scores(features, made.deck), deck_scores(features, read.deck), strict=True):
        assert np.allclose(before, after, atol=0.01)


def test_a_rank_that_no_picture_showed_is_never_named(tmp_path: Path) -> None:
    made, features = made_up_profile()
    ranks = np.arange(208) % 13
    some = ranks != 4
    deck = made.deck._replace(ranks=fit_classes(features[some], ranks[some], 13))
    write_profile(made._replace(deck=deck), tmp_path / "deck.profile")
    rank, *_ = deck_scores(features, load_profile(tmp_path / "deck.profile").deck)
    assert (rank[:, 4] == 0).all()


def changed(path: Path) -> None:
    entry = json.loads(path.read_text())
    entry["temperature"] = 1.0
    path.write_text(json.dumps(entry))


@pytest.mark.parametrize(
    "spoil",
    [
        changed,
        lambda path: path.write_text("{}"),
        lambda path: path.write_text("[]"),
        lambda path: path.write_bytes(b"\xff\x00"),
        lambda path: path.write_text(path.read_text()[:200]),
    ],
    ids=["a number", "empty", "a list", "no text", "cut off"],
)
def test_a_changed_profile_is_refused(tmp_path: Path, spoil: object) -> None:
    path = tmp_path / "deck.profile"
    write_profile(made_up_profile()[0], path)
    spoil(path)  # type: ignore[operator]  # one of the functions above
    with pytest.raises(ConfigError) as refused:
        load_profile(path)
    assert refused.value.code == "DECK_CHANGED"


def test_a_missing_profile_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        load_profile(tmp_path / "none")
    assert (refused.value.code, refused.value.params) == ("DECK_MISSING", {"path": str(tmp_path / "none")})


def test_a_profile_of_other_networks_is_refused(tmp_path: Path) -> None:
    write_profile(made_up_profile()[0], tmp_path / "deck.profile")
    with pytest.raises(ConfigError) as refused:
        open_with_deck(tmp_path / "deck.profile")
    assert refused.value.code == "DECK_OTHER_MODEL"
