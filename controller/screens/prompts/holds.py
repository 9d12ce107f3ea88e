"""Prompts while nothing may be drawn: a hold, a dispute, the pit at work."""

from controller.policy.holds import ABSENCE, NEED_ANSWER
from controller.runtime.api import DeviceView, HoldView
from controller.screens.pit.rows import current_text, each_once, frozen_by_pit, shoe_is_locked
from controller.screens.prompts.context import PromptContext, call_pit, joined
from controller.screens.shapes.acts import ResumeAct
from controller.screens.shapes.view import Bar, Key, Prompt, Side
from controller.screens.shapes.words import Word, Words, described, say, short


def stop(context: PromptContext) -> Prompt:
    """Return the prompt of a held table: the fault by name, its box, and the dealer's permitted acts."""
    holds = context.snapshot.holds
    by = frozen_by_pit(holds)
    if by is not None and len(holds) == 1:
        return _frozen(context, by)
    first = _ruled_first(holds) or holds[0]
    called = any(hold.code == "FROZEN" for hold in holds)
    waiting = context.snapshot.waiting
    return Prompt(
        line=say("line.STOP", fault=Word(word=short(first.code).code)),
        tone="stop",
        icon="stop",
        detail=joined(
            (
                *(words for hold in each_once(holds) for words in _why(context, hold)),
                say("detail.SHOE_LOCKED") if shoe_is_locked(context.snapshot) else None,
                say("detail.CARDS_WAITING", count=waiting) if waiting else None,
            )
        ),
        side=Side(title=say("ui.held_by"), text=_by(holds[0].by)),
        box=first.box if first.box > 0 and first.round == context.state.book.number else None,
        bar=Bar(keys=(_resume(context), *_pit_only(), _call(called=called))),
    )


def _frozen(context: PromptContext, by: str) -> Prompt:
    """Return the prompt of a table frozen by the pit, without a fault."""
    return Prompt(
        line=say("line.FROZEN_BY", by=by),
        tone="push",
        icon="eye",
        detail=joined(
            (
                say("detail.FROZEN_BY"),
                say("detail.SHOE_LOCKED") if shoe_is_locked(context.snapshot) else None,
            )
        ),
        bar=Bar(keys=(call_pit(),), info=say("info.FROZEN_BY")),
    )


def _by(actor: str) -> Words:
    """Return the author of a stop: a person, a device, or the table itself."""
    role, _, name = actor.partition(":")
    return say("ui.by_table") if role == "system" else say("ui.by", by=name or role)


def _why(context: PromptContext, hold: HoldView) -> tuple[Words, ...]:
    """Return the subject of a hold and the permitted ways out, the usual one first.

    The rule's number is shown on the pit's page only. The line has room for the ways out of one hold.
    """
    said = current_text(context.snapshot, "hold", hold.code, hold.params)
    if hold is not _ruled_first(each_once(context.snapshot.holds)):
        return (said,)
    ways = (say("detail.WAYS_OUT"), *(say(f"way.{way}") for way in hold.ways))
    return joined((said, *ways))


def _ruled_first(holds: tuple[HoldView, ...]) -> HoldView | None:
    """The first hold that only a ruling lifts, else the first with ways at all.

    "Let it stand" of another one would not let the table go on over it.
    """
    ways = [hold for hold in holds if hold.ways]
    return next((hold for hold in ways if "keep" not in hold.ways), next(iter(ways), None))


def disputed(context: PromptContext) -> Prompt:
    """The round cannot be settled without the pit."""
    code = str(dict(context.expected.params).get("code", "ROUND_INCOMPLETE"))
    params = next((fault.params for fault in context.state.settlement.faults if fault.code == code), ())
    return Prompt(
        line=say("line.DISPUTED"),
        tone="stop",
        icon="stop",
        detail=(described("dispute", code, params), say("detail.DISPUTED")),
        bar=Bar(keys=(*_pit_only(), call_pit(main=True))),
    )


def editing(by: str, box: int | None) -> Prompt:
    """Return the prompt during a correction by the pit; the dealer's keys are paused."""
    if box is None:
        line = say("line.PIT_EDITING")
    else:
        line = say("line.PIT_EDITING_BOX", box=box) if box else say("line.PIT_EDITING_DEALER")
    return Prompt(
        line=line,
        tone="push",
        icon="eye",
        detail=(say("detail.PIT_EDITING", by=by),),
        bar=Bar(keys=(call_pit(),), info=say("info.PIT_EDITING")),
    )


def _resume(context: PromptContext) -> Key:
    allowed = all(_dealer_may_keep(hold) for hold in context.snapshot.holds)
    missed = tuple([one.name for one in context.snapshot.devices if _may_miss(context, one)])
    missing = say("note.GOES_ON_WITHOUT", name=", ".join(missed)) if missed else None
    return Key(
        key="RESUME",
        enabled=allowed,
        hotkeys=("r",),
        note=missing if allowed else say("note.PIT_LIFTS"),
        acts=(ResumeAct(without=missed),),
    )


def _dealer_may_keep(hold: HoldView) -> bool:
    """Whether the dealer alone may accept the fault of a hold, by the table's policy."""
    by_word = hold.about is None or ("keep" in hold.ways and hold.code not in NEED_ANSWER)
    return hold.release == "dealer" and by_word


def _may_miss(context: PromptContext, device: DeviceView) -> bool:
    """Whether a device does not answer and the house lets the dealer continue without it."""
    return device.state in ABSENCE and device.name in context.settings.dealer_may_miss


def _pit_only() -> tuple[Key, ...]:
    return tuple(
        Key(key=name, label=say(f"key.{name}"), enabled=False, note=note)
        for name, note in (("BY_HAND", _PIN), ("VOID", _PIN))
    )


def _call(*, called: bool) -> Key:
    if not called:
        return call_pit(main=True)
    return call_pit(main=True).model_copy(update={"enabled": False, "note": say("note.ON_THE_WAY")})


_PIN: Words = say("note.PIT_PIN")
