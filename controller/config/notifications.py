"""Sections of the configuration: who is reached outside the page about what nobody answers."""

from typing import Annotated

from pydantic import Field

from controller.config.section import Section
from controller.i18n import Language

Url = Annotated[str, Field(pattern=r"^[a-zA-Z][a-zA-Z0-9+.-]*://\S+$")]
"""An address as apprise reads it: `ntfy://…`, `matrixs://…`, `mailto://…`, `jsons://…` for a webhook."""

DAY_S = 86_400


class NotifySection(Section):
    """Whom to reach once a hold or an alert has waited for `after_s` seconds without an answer.

    `codes` are the kinds that this section is about, all of them where it is left out; `language` is that of
    its messages.
    """

    urls: Annotated[tuple[Url, ...], Field(min_length=1)]
    codes: frozenset[str] = frozenset()
    language: Language = "en"
    after_s: Annotated[int, Field(ge=0, le=DAY_S)] = 60
