"""What a table's screens ask of it: the newest view, and that commands are taken; here, or far away."""

from typing import Protocol

from controller.screens.rendered_view import RenderedView
from controller.screens.screen_command import ScreenCommand


class Views(Protocol):
    """See `controller.screens.view_broadcaster.ViewBroadcaster`."""

    def latest(self) -> RenderedView:
        """Return the view of now."""
        ...

    async def newer(self, version: int) -> RenderedView:
        """Wait for a view newer than `version`; at once where there is one."""
        ...

    def wake(self) -> None:
        """Have everybody who waits look whether there is one."""
        ...

    async def run(self) -> None:
        """Follow the table until cancelled."""
        ...

    async def await_pictures(self, period_s: float) -> None:
        """See `ViewBroadcaster.await_pictures`."""
        ...


class Commands(Protocol):
    """See `controller.screens.command_handler.CommandHandler`."""

    async def take(self, command: ScreenCommand) -> int:
        """Do what is asked; the sequence of the last entry. Raises `TableError`."""
        ...


class RemoteTable(Protocol):
    """A table that is played elsewhere and may be reached from here."""

    def views(self, local: Views) -> Views:
        """Its views; `local` are those that its journal gives here."""
        ...

    def commands(self, local: Commands) -> Commands:
        """The way of commands to it; `local` refuses them."""
        ...
