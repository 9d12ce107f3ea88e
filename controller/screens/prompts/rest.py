"""The prompt while the rest of a shoe is run through its reader."""

from controller.screens.prompts.context import call_pit
from controller.screens.shapes.acts import observe
from controller.screens.shapes.texts import say
from controller.screens.shapes.view import Bar, Key, Prompt


def count_rest(cards: int) -> Prompt:
    """How many `cards` were counted, and the keys that end it; which they are the pit alone sees."""
    done = Key(
        key="REST_DONE",
        main=True,
        note=say("note.SHOE_REST"),
        acts=(observe({"obs": "shoe_end"}),),
    )
    give_up = Key(
        key="REST_CANCEL",
        acts=(observe({"obs": "rest_count", "state": "cancel"}),),
    )
    return Prompt(
        line=say("line.REST_COUNT"),
        icon="draw",
        detail=(say("ui.rest_counted", count=cards), say("detail.REST_COUNT")),
        bar=Bar(keys=(give_up, done, call_pit())),
    )
