"""The measurements of the reader count what they say they count."""

import re
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks import reader_photographs, reader_stress_reads, reader_timing
from models import figures as card_of_models
from models.figures import risk_coverage, upper_bound
from models.judging import DOWN, KnownHand, judge_hands
from models.stress_scenes import (
    FAULTS,
    SEED,
    Shot,
    band_of,
    cover,
    crowded_scene,
    dealt_table,
    held_out_deck,
    middle_of,
    take,
)
from tests.measures import rank_scores
from vision.reader import CardReader
from vision.reading import PointPx, ReadCard, Reading, Unclear
from vision.synth.scene import index_truths


@pytest.fixture(scope="module")
def reader() -> CardReader:
    return CardReader.open(threads=1)


def card(name: str, at: PointPx = (50.0, 50.0), hand: int = 1) -> ReadCard:
    if name == DOWN:
        return ReadCard(None, None, 0.99, at, None, "down", hand)
    return ReadCard(name[:-1], name[-1], 0.99, at, None, "up", hand)


def reading(*cards: ReadCard, unclear: tuple[Unclear, ...] = ()) -> Reading:
    return Reading(cards, unclear, 1.0)


@pytest.mark.parametrize(
    ("errors", "trials", "bound"),
    [
        (0, 300, 1 - 0.05 ** (1 / 300)),
        (1, 100, 0.04656),  # beta quantile 0.95 of (2, 99)
        (5, 10, 0.77756),  # beta quantile 0.95 of (6, 5)
        (0, 3_000_000, 9.986e-7),
        (7, 2_000_000, 6.574e-6),
        (0, 0, 1.0),
        (4, 4, 1.0),
    ],
)
def test_the_bound_is_the_exact_one(errors: int, trials: int, bound: float) -> None:
    assert upper_bound(errors, trials) == pytest.approx(bound, rel=2e-4)


def test_a_stricter_threshold_accepts_less_and_equal_scores_go_together() -> None:
    curve = risk_coverage([(0.9, True), (0.8, False), (0.8, True), (0.99, True)], offered=8)
    assert [(step["coverage"], step["risk"]) for step in curve] == [
        (1 / 8, 0.0),
        (2 / 8, 0.0),
        (4 / 8, 1 / 4),
    ]


HAND = KnownHand((("A", "s"), ("10", None), (DOWN, None)), (0, 0, 100, 100))


@pytest.mark.parametrize(
    ("names", "unclear", "word"),
    [
        (("As", "10h", DOWN), False, "exact"),
        (("10h", "As", DOWN), False, "order"),
        (("As", DOWN), False, "short"),
        (("As", DOWN), True, "flagged"),
        (("As", "9h", DOWN), False, "false"),
        ((), False, "short"),
    ],
)
def test_a_hand_is_exact_flagged_or_silently_something_else(
    names: tuple[str, ...], unclear: bool, word: str
) -> None:
    spots = (Unclear((20.0, 20.0), "uncertain"),) if unclear else ()
    cards = [card(name) for name in names]
    assert judge_hands(reading(*cards, unclear=spots), [HAND]) == Counter({"hands": 1, word: 1})


def test_a_hand_split_in_two_is_not_exact() -> None:
    cards = card("As"), card("10d", hand=2), card(DOWN)
    assert judge_hands(reading(*cards), [HAND])["order"] == 1


def truth(rank: str | None, suit: str | None) -> reader_photographs.Truth:
    return reader_photographs.Truth(rank, suit, (0, 0, 100, 100), None, 0)


def test_a_label_confirms_one_read_only() -> None:
    counts, errors = reader_photographs.tally(
        reading(card("7c"), card("7c")), [truth("7", "c")], overhead=False
    )
    assert (counts["right"], counts["wrong"], counts["missed"]) == (1, 1, 0)
    assert [error["read"] for error in errors] == ["7c"]


def test_a_wrong_suit_is_counted_as_such_and_an_unlabelled_suit_is_not() -> None:
    counts, _ = reader_photographs.tally(reading(card("7s")), [truth("7", "c")], overhead=False)
    assert (counts["wrong"], counts["suit_errors"], counts["missed"]) == (1, 1, 1)
    counts, _ = reader_photographs.tally(reading(card("7s")), [truth("7", None)], overhead=False)
    assert (counts["right"], counts["wrong"]) == (1, 0)


def test_a_suit_that_is_left_open_is_right_and_counted_and_its_rank_still_has_to_be_right() -> None:
    seven = card("7s")._replace(suit=None)
    counts, _ = reader_photographs.tally(reading(seven), [truth("7", "c")], overhead=False)
    assert (counts["right"], counts["suit_open"], counts["wrong"]) == (1, 1, 0)
    counts, _ = reader_photographs.tally(reading(seven), [truth("8", "c")], overhead=False)
    assert (counts["right"], counts["wrong"]) == (0, 1)
    assert judge_hands(reading(card("As")._replace(suit=None), card("10h"), card(DOWN)), [HAND])["exact"] == 1


def test_ranks_are_counted_by_height_and_score_and_the_fit_finds_the_weights() -> None:
    rng = np.random.default_rng(1)
    parts = np.c_[np.ones(4000), rng.normal(0, 2, (4000, 3))]
    right = rng.random(4000) < 1 / (1 + np.exp(-parts @ [1.0, 0.5, -1.0, 0.25]))
    assert rank_scores.fitted(parts, right.astype(float)) == pytest.approx([1.0, 0.5, -1.0, 0.25], abs=0.15)
    sure = rank_scores.ScoredIndex((1.0, 8.0, 8.0, 0.0), 20.0, right=True)
    doubtful = rank_scores.ScoredIndex((1.0, 5.0, 5.0, 0.0), 20.0, right=False)
    rows = rank_scores.report([sure, doubtful, sure._replace(index_px=10.0)])["bands"]
    assert (rows["likely from 9 px"]["right"], rows["likely from 20 px"]["right"]) == (1, 1)
    assert rows["doubted from 20 px"]["indices"] == 0
    told = [(row["told"], row["wrong"]) for row in rows["likely from 20 px"]["limits"].values()]
    assert (told[0], told[-1]) == ((2, 1), (1, 0))


def test_a_read_where_nothing_is_labelled_is_wrong_on_overhead_tables_only() -> None:
    for overhead, word in ((False, "beside"), (True, "wrong")):
        counts, _ = reader_photographs.tally(reading(card("7s", (900.0, 900.0))), [truth("7", "s")], overhead)
        assert (counts[word], counts["missed"]) == (1, 1)


def test_each_listed_mistake_of_a_label_has_its_reason() -> None:
    entries = [entry for listed in reader_photographs.label_errors().values() for entry in listed]
    assert entries
    assert all(len(entry["why"]) > 10 and entry["read"][-1] in "cdhs" for entry in entries)


def shot(seed: int = 3) -> Shot:
    return take(crowded_scene(np.random.default_rng((SEED, seed)), []))


def test_faults_keep_size_and_type_and_only_none_keeps_the_picture() -> None:
    frame = shot().picture.frame
    for name, fault in FAULTS.items():
        faulty = fault(frame.copy(), np.random.default_rng(1), 20.0)
        assert faulty.shape == frame.shape, name
        assert faulty.dtype == np.uint8, name
        assert bool((faulty == frame).all()) == (name in {"none", "tilt", "fingers"}), name


def test_what_fingers_cover_counts_as_hidden() -> None:
    here = shot()
    clear = [one for one in here.truths if one.rank_visible > 0.95]
    spots = [middle_of(one) for one in clear]
    covered = cover(here.picture, np.random.default_rng(2), spots, here.index_px)
    after = {(one.card, one.top): one.rank_visible for one in index_truths(here.scene, covered)}
    assert np.mean([after[one.card, one.top] for one in clear]) < 0.7
    assert (here.picture.frame != covered.frame).any()


def test_the_same_number_draws_the_same_table() -> None:
    one, other = (reader_stress_reads.shoot(6, [], "dealt") for _ in range(2))
    assert one[0] == other[0]
    assert (one[1].picture.frame == other[1].picture.frame).all()
    assert one[1].hands == other[1].hands


def test_a_dealt_table_is_full() -> None:
    scene, hands = dealt_table(np.random.default_rng(4), held_out_deck(np.random.default_rng(4), []))
    assert (scene.width, scene.height) == (1920, 1080)
    assert len(hands) >= 8
    assert sorted(number for hand in hands for number in hand) == list(
        range(len([one for one in scene.cards if one.face != "cut"]))
    )


def test_every_height_has_its_band() -> None:
    assert [band_of(height) for height in (0.0, 14.99, 15.0, 39.9, 40.0, 900.0)] == [
        "0-8",
        "12-15",
        "15-18",
        "28-40",
        "over 40",
        "over 40",
    ]


def test_a_table_read_right_has_no_error_and_a_changed_card_is_one(reader: CardReader) -> None:
    fault, here = reader_stress_reads.shoot(0, [], "dealt")
    read = reader.read(here.picture.frame)
    right, wrong = reader_stress_reads.TableCounts(), reader_stress_reads.TableCounts()
    right.add("dealt", fault, here, read, 0)
    first = next(one for one in read.cards if one.face == "up")
    changed = first._replace(rank="2" if first.rank != "2" else "3")
    rest = tuple(one for one in read.cards if one is not first)
    wrong.add("dealt", fault, here, read._replace(cards=(changed, *rest)), 0)
    assert right.errors == []
    assert [(one["verdict"], one["read"]) for one in wrong.errors] == [
        ("wrong", f"{changed.rank}{changed.suit}")
    ]
    twice = reader_stress_reads.TableCounts()
    twice.add("dealt", fault, here, read._replace(cards=(*read.cards, first)), 0)
    assert [one["verdict"] for one in twice.errors] == ["twice"]


def test_the_rival_has_the_published_size(tmp_path: Path) -> None:
    net = reader_timing.write(tmp_path / "reader_timing.onnx", 640, 640)
    assert net.values == 2_616_248
    assert 2e-9 * net.multiplications == pytest.approx(6.5, abs=0.1)


def test_the_model_card_tells_the_figures_of_the_shipped_networks(tmp_path: Path) -> None:
    """As the training command writes it; a network that was made anew shows its own."""
    shipped = Path(card_of_models.__file__).parent
    for name in card_of_models.NETWORKS:
        shutil.copytree(shipped / name, tmp_path / name)
    card_of_models.write_card(tmp_path)
    written = (tmp_path / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert written == card_of_models.CARD.read_text(encoding="utf-8")
    manifest = tmp_path / "index/manifest.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(re.sub('"rank_right" = [0-9.]+', '"rank_right" = 0.51', text), encoding="utf-8")
    card_of_models.write_card(tmp_path)
    assert "rank right 51." in (tmp_path / "MODEL_CARD.md").read_text(encoding="utf-8")
