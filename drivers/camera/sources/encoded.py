"""A source of pictures of which a recording keeps every one, exactly as it was looked at.

Pixels are encoded here and decoded again by whoever looks: so a replay, which has the JPEG pictures, sees the
very same.
"""

from drivers.camera.camera_pictures import MakesPictures, Picture, encode, picture_of
from drivers.camera.config import Grabbed, Grabber, HasSettings


class _Encoded:
    """Any grabber, its pictures as JPEG."""

    def __init__(self, inner: Grabber) -> None:
        self._inner = inner
        self._is_own = False
        self.paced, self.finite, self.watched = inner.paced, inner.finite, inner.watched
        self.settings = inner.settings if isinstance(inner, HasSettings) else ()

    def grab(self) -> Grabbed | None:
        grabbed = self._inner.grab()
        self._is_own = not isinstance(grabbed, bytes)
        return grabbed if grabbed is None or isinstance(grabbed, bytes) else encode(grabbed)

    def picture(self, grabbed: Grabbed) -> Picture:
        if isinstance(self._inner, MakesPictures) and not self._is_own:
            return self._inner.picture(grabbed)
        return picture_of(grabbed)

    def close(self) -> None:
        self._inner.close()


def encoded(inner: Grabber) -> Grabber:
    """The same source, whose pictures all are JPEG."""
    return _Encoded(inner)
