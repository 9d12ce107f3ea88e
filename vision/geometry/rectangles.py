"""Upright rectangles in whole pixels."""

Rect = tuple[int, int, int, int]
"""Left, top, right and foot; right and foot are the first pixels outside."""


def grown(rect: Rect, margin_px: float) -> Rect:
    """The rectangle with a margin at each side, a negative one shrinks it; cut to whole pixels."""
    left, top, right, foot = rect
    return int(left - margin_px), int(top - margin_px), int(right + margin_px), int(foot + margin_px)


def clipped(rect: Rect, shape: tuple[int, ...]) -> Rect:
    """The part of a rectangle that lies in a picture of `shape` (height, width and so on)."""
    left, top, right, foot = rect
    return max(left, 0), max(top, 0), min(right, shape[1]), min(foot, shape[0])


def meet(one: Rect, other: Rect) -> bool:
    """Whether two rectangles share a pixel."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def lies_within(inner: Rect, outer: Rect) -> bool:
    """Whether all of `inner` lies in `outer`."""
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def union(one: Rect, other: Rect) -> Rect:
    """The smallest rectangle around both."""
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])
