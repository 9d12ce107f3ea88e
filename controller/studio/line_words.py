"""A line of a file for people: its fields without a card that lies face down, and the sentence of it."""

from typing import Any

from controller.acts.catalogue import CardSeen
from controller.feed.codec import to_json
from controller.runtime.redaction import hide_cards
from controller.screens.shapes.words import Words
from controller.screens.shift.sentences import sentence_of_fact
from controller.studio.studio_step import StudioStep


def fields_of(step: StudioStep, *, hides: bool) -> dict[str, Any]:
    """The fields of the line as it stands; while a card lies face down, no card's rank or suit."""
    obs = step.taken.line.obs
    fields = dict(to_json(obs))
    if not hides:
        return fields
    fields = dict(hide_cards("fact", fields))
    found = {"rank", "suit", "id", "p"} if isinstance(obs, CardSeen) else set()
    return {field: value for field, value in fields.items() if field not in found}


def words_of_line(step: StudioStep, *, hides: bool) -> Words | None:
    """What the line says to a person; None where it has no sentence."""
    return sentence_of_fact(str(step.taken.line.by or ""), fields_of(step, hides=hides))
