"""Pictures that cameras took a while ago, as the table's recording keeps them."""

from typing import Final, NamedTuple, Protocol


class PastPicture(NamedTuple):
    """A camera's picture as it was taken, a JPEG, and when (microseconds since 1970 UTC)."""

    camera: str
    at_utc_us: int
    jpeg: bytes


class PastPictures(Protocol):
    """Finds what each camera over the layout showed at a moment."""

    def at(self, utc_us: int) -> tuple[PastPicture, ...]:
        """Find the last picture of each camera up to that moment; a camera without one is left out.

        Reads files: not for the table's loop.
        """
        ...


class _Nothing:
    """A table that records nothing."""

    def at(self, utc_us: int) -> tuple[PastPicture, ...]:  # noqa: ARG002  # nothing is kept of any moment
        return ()


NO_PAST: Final[PastPictures] = _Nothing()
