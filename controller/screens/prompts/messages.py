"""The pit's lines to the dealer: they stand before whatever else is explained until he has answered them."""

from controller.runtime.api import AlertView
from controller.runtime.ledger.alerts import MESSAGE
from controller.screens.prompts.context import PromptContext
from controller.screens.shapes.acts import AlertAct
from controller.screens.shapes.texts import reason_of, say
from controller.screens.shapes.view import Key, Prompt


def with_messages(context: PromptContext, prompt: Prompt) -> Prompt:
    """The prompt with the messages that wait for an answer, and a key that answers the oldest of them."""
    open_now = [one for one in context.snapshot.alerts if one.code == MESSAGE and one.status == "open"]
    if not open_now:
        return prompt
    words = [say("detail.PIT_MESSAGE", text=reason_of(str(dict(one.params)["text"]))) for one in open_now]
    *others, call = prompt.bar.keys
    bar = prompt.bar.model_copy(update={"keys": (*others, _answer(open_now[0]), call)})
    # Why the table stops is read before what somebody has written.
    detail = (*prompt.detail, *words) if prompt.tone == "stop" else (*words, *prompt.detail)
    return prompt.model_copy(update={"detail": detail, "bar": bar})


def _answer(message: AlertView) -> Key:
    return Key(
        key="MESSAGE_SEEN",
        hotkeys=("i",),
        acts=(AlertAct(alert=message.alert, step="ack"),),
    )
