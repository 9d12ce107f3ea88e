"""A feed whose cards come from pictures, for `stand17 replay --table --frames`."""

from controller.cli.replay.source import FrameSettings, ReplaySource
from controller.feed.table_replay import TableScript
from controller.replay.pictures.frame_replay import looks_at, play_frames


def frames_source(script: TableScript, settings: FrameSettings) -> ReplaySource:
    """Open pictures, layout and profile. Raises `ConfigError` as `looks_at` does."""
    looks = looks_at(settings.folder, settings.layout, settings.deck)
    played = play_frames(script, looks(), with_shoe=settings.with_shoe)
    return ReplaySource(played, script.header.currency)
