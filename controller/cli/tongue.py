"""The language in which a command speaks."""

import os
from typing import Literal

from controller.i18n import LANGUAGES

Tongue = Literal["en", "nl", "de", "fr", "it"]


def terminal_tongue() -> str:
    """The language of the user's terminal, English where it is none of ours."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return value[:2] if value[:2] in LANGUAGES else "en"
    return "en"
