"""Cards over time: what has changed, what lies still, which card is which, and what is certain of it."""

from vision.tracking.events import CardName, Scene, TrackView
from vision.tracking.watcher import Watcher

__all__ = ["CardName", "Scene", "TrackView", "Watcher"]
