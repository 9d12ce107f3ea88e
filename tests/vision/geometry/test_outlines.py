"""What lies in an outline, which outlines share area, and upright rectangles."""

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.geometry import (
    Points,
    clipped,
    grown,
    inside,
    inside_each,
    lies_within,
    meet,
    overlap,
    scaled,
    union,
)

places = st.tuples(st.floats(-60, 160), st.floats(-60, 160))


def turned(turn_deg: float) -> Points:
    """A card of 60 x 90 pixels about (50, 50)."""
    return cv2.boxPoints(((50.0, 50.0), (60.0, 90.0), turn_deg)).astype(float)


@given(places, st.floats(-180, 180), st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_point_is_inside_whichever_way_the_outline_runs(
    place: tuple[float, float], turn_deg: float, backwards: bool
) -> None:
    corners = turned(turn_deg)
    distance = cv2.pointPolygonTest(corners.astype(np.float32), place, measureDist=True)
    if abs(distance) > 1e-3:
        assert inside(np.array(place), corners[::-1] if backwards else corners) == (distance > 0)


def test_slack_grows_and_shrinks_the_outline() -> None:
    beside, within = np.array([83.0, 50.0]), np.array([77.0, 50.0])
    outline = turned(0)
    assert [inside(beside, outline, slack) for slack in (0.0, 0.2)] == [False, True]
    assert [inside(within, outline, slack) for slack in (0.0, -0.2)] == [True, False]


def test_each_point_is_looked_for_in_each_outline() -> None:
    outlines = np.array([turned(0), turned(0) + 200])
    points = np.array([(50.0, 50.0), (250.0, 250.0), (150.0, 150.0)])
    assert inside_each(points, outlines).tolist() == [[True, False], [False, True], [False, False]]


def test_outlines_that_only_touch_do_not_overlap() -> None:
    shared = [overlap(turned(0), turned(0) + np.array([right, 0])) for right in (59, 60, 100)]
    assert shared == [True, False, False]


def test_an_outline_grows_about_its_middle() -> None:
    assert np.allclose(scaled(turned(30), 2).mean(0), (50, 50))
    assert np.allclose(np.ptp(scaled(turned(0), 2), axis=0), (120, 180))


def test_rectangles_leave_their_right_and_foot_out() -> None:
    one = (10, 10, 20, 20)
    assert meet(one, (19, 19, 30, 30))
    assert not meet(one, (20, 10, 30, 20))
    assert lies_within(one, grown(one, 1))
    assert not lies_within(grown(one, 1), one)
    assert union(one, (30, 5, 40, 12)) == (10, 5, 40, 20)
    assert clipped((-5, -5, 50, 50), (30, 40, 3)) == (0, 0, 40, 30)
