"""The error of an act that the rules of the house forbid."""

from typing import Final

from controller.domain import Refused
from controller.i18n import text


class RuleBroken(ValueError):
    """The rules forbid it, and the table is as it was. `code` and `params` as in docs/feed.md."""

    def __init__(self, refused: Refused) -> None:
        """Keep code and parameters; the message is the English sentence that a dealer would read."""
        self.code: Final = refused.code
        self.params: Final[dict[str, int | str]] = dict(refused.params)
        super().__init__(f"{refused.code}: {text(f'refused.{refused.code}', self.params)}")
