"""Of the poses that see one index, one stays, and it stands where they all say it does."""

import numpy as np

from vision.geometry import IndexPoses
from vision.indices import place_leaders, suppress_non_maxima

UP, DOWN = (0.0, 1.0), (0.0, -1.0)


def poses(*rows: tuple[float, float, tuple[float, float]]) -> IndexPoses:
    """Poses of indices of 20 pixels: x, y, direction."""
    centres, downs = np.array([row[:2] for row in rows]), np.array([row[2] for row in rows])
    return IndexPoses(centres, downs, np.full(len(rows), 20.0))


def test_the_best_of_the_poses_at_one_place_stays_as_their_mean() -> None:
    kept = suppress_non_maxima(
        poses((100, 100, UP), (104, 100, UP), (200, 100, UP)), np.array([5, 5, 5]), np.array([0.6, 0.3, 0.9])
    )
    assert kept.best.tolist() == [2, 0]
    assert np.allclose(kept.poses.centres, [(200, 100), (304 / 3, 100)])


def test_a_worse_pose_of_another_card_goes_without_moving_the_best() -> None:
    kept = suppress_non_maxima(poses((100, 100, UP), (104, 100, UP)), np.array([5, 7]), np.array([0.6, 0.5]))
    assert kept.best.tolist() == [0]
    assert kept.poses.centres.tolist() == [[100, 100]]


def test_two_cards_corners_half_an_index_apart_both_stay() -> None:
    kept = suppress_non_maxima(poses((100, 100, UP), (112, 100, UP)), np.array([5, 5]), np.array([0.6, 0.5]))
    assert kept.best.tolist() == [0, 1]


def test_two_names_side_by_side_both_stay_as_in_a_tight_fan() -> None:
    side_by_side, over_each_other = (poses((100, 100, UP), at) for at in ((108, 100, UP), (100, 108, UP)))
    names, scores = np.array([5, 7]), np.array([0.9, 0.8])
    assert suppress_non_maxima(side_by_side, names, scores).best.tolist() == [0, 1]
    assert suppress_non_maxima(over_each_other, names, scores).best.tolist() == [0]


def test_a_pose_to_one_side_is_a_place_of_its_own() -> None:
    assert place_leaders(poses((100, 100, UP), (108, 100, UP), (100, 108, UP))).tolist() == [0, 1, 0]


def test_each_pose_knows_the_first_one_that_faces_its_way_at_its_place() -> None:
    seen = place_leaders(
        poses((100, 100, UP), (103, 100, DOWN), (102, 100, UP), (104, 100, DOWN), (300, 9, UP))
    )
    assert seen.tolist() == [0, 1, 0, 1, 4]
