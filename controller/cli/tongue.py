"""The language in which a command speaks."""

import os

from controller.i18n import LANGUAGES


def terminal_tongue() -> str:
    """The language of the user's terminal, English where it is none of ours."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return value[:2] if value[:2] in LANGUAGES else "en"
    return "en"
