"""Cards over time: what has changed, what lies still, which card is which, and what is certain of it."""

from vision.tracking.events import CardName, Contradiction, Scene, TrackView, UnclearSpot
from vision.tracking.regions import Reader
from vision.tracking.tracker import Watcher

__all__ = ["CardName", "Contradiction", "Reader", "Scene", "TrackView", "UnclearSpot", "Watcher"]
