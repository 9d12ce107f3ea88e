"""The section of the recorder."""

from pathlib import Path

from pydantic import Field, model_validator

from controller.config.section import Section

BUDGET_MB_MIN = 64


class RecordingSection(Section):
    """What passes between devices and program, kept beside the journal.

    `enabled` left out means: on a live table, not in a simulation. Left out, `folder` is the journal's name
    with `.recordings` for its ending.
    """

    enabled: bool | None = None
    folder: Path | None = None
    keep_minutes: int = Field(default=20, gt=0, le=1440)
    """The last minutes that are always kept."""
    segment_minutes: int = Field(default=5, gt=0, le=60)
    """A file for so many minutes; whole files are kept and removed."""
    disk_budget_mb: int = Field(default=20_000, ge=BUDGET_MB_MIN)
    """For everything in the folder, pinned files too; what does not fit goes, oldest first."""
    reserve_mb: int = Field(default=2_000, ge=0)
    """Free room on the disk that is left to the journal: below it nothing is recorded."""
    pinned_days: int = Field(default=30, gt=0, le=3650)
    """How long the minutes around holds, corrections, voids, disputes and device faults are kept."""

    @model_validator(mode="after")
    def _segments_fit(self) -> "RecordingSection":
        if self.segment_minutes > self.keep_minutes:
            raise ValueError("segment_minutes is longer than keep_minutes")
        return self
