"""One step of a file: a line with its sentence, the table before and after it, its effects."""

from typing import Any, NamedTuple

from controller.acts.catalogue import CardSeen
from controller.engine.state import TableState
from controller.feed.codec import to_json
from controller.feed.feed_table import TableStep
from controller.feed.replay import PlayedNotice
from controller.runtime.redaction import hide_cards
from controller.screens.sentences import sentence_of_fact
from controller.screens.words import Words


class StudioStep(NamedTuple):
    """A step; `secret`: the face-down card of its round was never turned, `over`: the round was paid."""

    taken: TableStep
    round: int
    secret: bool
    over: bool = True

    @property
    def notices(self) -> tuple[PlayedNotice, ...]:
        """The effects of the line, and of the lines that it released."""
        return tuple(notice for played in self.taken.played for notice in played.notices)

    @property
    def state(self) -> TableState:
        """The table after the line."""
        return self.taken.after


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
    """Return the sentence of the line; None without one."""
    return sentence_of_fact(str(step.taken.line.by or ""), fields_of(step, hides=hides))
