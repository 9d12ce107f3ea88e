"""Which witnesses tell a table of its cards, and what happens without one of them."""

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import Field

from controller.config.cameras import CameraSection
from controller.config.section import Name, Section

CardsFrom = Literal["shoe", "camera", "both"]
"""Who tells the cards: what comes out of the shoe, what lies on the felt, or both, which have to agree."""

Degrade = Literal["hold", "shoe_only", "camera_only"]
"""What a person may go on with while a witness is missing: nothing, the shoe alone, the camera alone."""

ARRIVES_MS: Final = 2000
"""Milliseconds from the shoe to the felt where the house says nothing."""

DegradeBy = Literal["pit", "dealer"]
"""Who may go on without a witness: the pit alone, or the dealer as well."""


class WitnessesSection(Section):
    """With `source = "shoe"` cameras only contradict; with `camera` or `both` one of them deals, or several.

    `camera` names the one that deals, or several over one layout that deal together; left out, it is the only
    camera over the table. Each witness of `source` is needed: without it the table holds. `degrade` says with
    which one it may go on, `degrade_by` by whose act; the journal has the name of whoever did it.

    A card that left the shoe lies on the felt within `arrives_ms`: so quick the house's dealers are. One that
    comes before what is due waits as long for it.
    """

    source: CardsFrom = "shoe"
    camera: str | tuple[Name, ...] = ""
    degrade: Degrade = "hold"
    degrade_by: DegradeBy = "pit"
    arrives_ms: int = Field(default=ARRIVES_MS, ge=500, le=10_000)

    @property
    def recorded(self) -> tuple[tuple[str, str], ...]:
        """What the journal's `started` says of them."""
        who = (("degrade_by", self.degrade_by),) if self.degrade != "hold" else ()
        late = (("arrives_ms", str(self.arrives_ms)),) if self.arrives_ms != ARRIVES_MS else ()
        return ("witnesses", self.source), ("degrade", self.degrade), *who, *late

    def dealing_cameras(
        self, cameras: Sequence[CameraSection], *, has_shoe: bool
    ) -> tuple[CameraSection, ...]:
        """The cameras that deal among those over the table, in the order in which they are named.

        Raises ValueError for what cannot be: a camera that is not there, has no layout or may be missing, two
        witnesses without a shoe, a shoe that nobody listens to, another `degrade` than there are witnesses.
        """
        if self.source != "both" and self.degrade != "hold":
            raise ValueError(f'witnesses.degrade = "{self.degrade}" needs witnesses.source = "both"')
        if self.degrade == "hold" and self.degrade_by != "pit":
            raise ValueError(
                f'witnesses.degrade_by = "{self.degrade_by}" needs a witnesses.degrade to go on with'
            )
        if self.source == "shoe":
            if self.camera:
                raise ValueError('witnesses.camera means nothing with witnesses.source = "shoe"')
            return ()
        if self.source == "both" and not has_shoe:
            raise ValueError('witnesses.source = "both" needs a [shoe], or a camera at the shoe\'s mouth')
        if self.source == "camera" and has_shoe:
            raise ValueError('witnesses.source = "camera" needs no shoe: take it out, or say "both"')
        return self._named(cameras)

    def _named(self, cameras: Sequence[CameraSection]) -> tuple[CameraSection, ...]:
        known = {one.name: one for one in cameras}
        wanted = (self.camera,) if isinstance(self.camera, str) else self.camera
        names = tuple(known) if wanted == ("",) and len(known) == 1 else wanted
        if not names or len(set(names)) < len(names) or not known.keys() >= set(names):
            there = ", ".join(known) or "none"
            raise ValueError(f"witnesses.camera has to name the camera that deals; over the table: {there}")
        return tuple(_dealing(known[name]) for name in names)


def _dealing(camera: CameraSection) -> CameraSection:
    """The camera, if it can deal; raises ValueError."""
    if camera.layout is None:
        raise ValueError(f"the camera {camera.name} deals only with a layout (stand17 calibrate)")
    if not camera.required:
        raise ValueError(f"the camera {camera.name} deals and cannot be missing: leave required out")
    return camera
