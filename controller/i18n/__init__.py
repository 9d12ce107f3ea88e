"""Texts of screens and command line: one flat JSON catalogue a language, `{name}` holes."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Final

LANGUAGES: Final = ("en", "nl", "de", "fr", "it")
"""Shipped languages, in the order in which a switch offers them."""

HOLE: Final = re.compile(r"\{(\w+)\}")


@cache
def catalogue(language: str) -> dict[str, str]:
    """All texts of one language; KeyError for a language that is not shipped."""
    if language not in LANGUAGES:
        raise KeyError(language)
    text = (files(__name__) / f"{language}.json").read_text(encoding="utf-8")
    loaded: dict[str, str] = json.loads(text)
    return loaded


def text(key: str, params: dict[str, str | int] | None = None, language: str = "en") -> str:
    """The sentence for a key, its holes filled from `params`.

    A hole without a parameter stays visible, and a key without a text is shown as itself with its
    parameters: a missing translation must never hide an error.
    """
    known = params or {}
    sentence = catalogue(language).get(key)
    if sentence is None:
        inner = ", ".join(f"{name}={value}" for name, value in known.items())
        return f"{key} ({inner})" if inner else key
    return HOLE.sub(lambda hole: str(known.get(hole[1], hole[0])), sentence)
