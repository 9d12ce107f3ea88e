"""Prompts between the rounds: a new shoe, burned cards, bets, a cleared table."""

from controller.engine.shoe import before_first_card
from controller.engine.state import COMPLETE
from controller.i18n.numbers import units
from controller.screens.prompts.context import PromptContext, call_pit, collected, only_call
from controller.screens.prompts.questions import counted_otherwise
from controller.screens.shapes.acts import ObserveAct, observe
from controller.screens.shapes.view import Bar, Key, Prompt, Side
from controller.screens.shapes.words import Words, described, money, say
from controller.screens.shoe_panel import load_key, shuffle_key


def new_shoe(context: PromptContext) -> Prompt:
    """A fresh shoe has to be put in place; inside a round none of its cards are burned yet.

    Where the shoe has run out in a round, the house says whether the discards are shuffled instead.
    """
    state, rules = context.state, context.snapshot.rules
    inside = not before_first_card(state)
    start = load_key(rules.decks, burned=0 if inside else rules.burn_cards)
    if not inside or state.shoe.void or state.shoe.ended:
        return _shoe_prompt(say("line.NEW_SHOE", decks=rules.decks), start)
    if context.snapshot.options.shoe_runs_out == "discards":
        return _shoe_prompt(say("line.SHUFFLE_DISCARDS"), shuffle_key(state), start)
    return _shoe_prompt(say("line.NEW_SHOE", decks=rules.decks), start, shuffle_key(state))


def _shoe_prompt(line: Words, first: Key, *others: Key) -> Prompt:
    """The prompt for a shoe: the house's way first."""
    main = first.model_copy(update={"main": True, "hotkeys": ("Enter",)})
    return Prompt(
        line=line,
        icon="turn",
        detail=(say("detail.NEW_SHOE"),),
        bar=Bar(keys=(main, *others, call_pit())),
    )


def burn(context: PromptContext) -> Prompt:
    """The first cards of a shoe are burned."""
    count = dict(context.expected.params).get("count", context.state.shoe.burn_due)
    return Prompt(
        line=say("line.BURN", count=count),
        icon="draw",
        detail=(say("detail.BURN"),),
        bar=only_call(say("info.DEAL"), say("info.NO_TAP")),
    )


def place_bets(context: PromptContext) -> Prompt:
    """Bets are open: chips, repeat, no more bets."""
    lying = bool(context.state.boxes)
    drafts = bool(context.screen.drafts)
    close = Key(
        key="CLOSE",
        enabled=lying and not drafts,
        main=True,
        note=say("note.CHIPS_SHORT" if drafts else "note.DEAL" if lying else "note.NO_BETS"),
        acts=(observe({"obs": "close"}),),
    )
    return Prompt(
        line=say("line.PLACE_BETS"),
        icon="chip",
        detail=_faults(context) or counted_otherwise(context) or _limits(context),
        side=_total(context),
        bar=Bar(keys=(*_bet_keys(context), close, call_pit()), chips=rail(context)),
        amount_for="stake",
    )


def cleared(context: PromptContext) -> Prompt:
    """Every box is handled: the cards go to the rack; the next chip already begins a new round."""
    end = Key(
        key="CLEAR_TABLE",
        main=True,
        note=say("note.NEXT_ROUND"),
        acts=(observe({"obs": "end"}),),
    )
    void = context.state.settlement.status == "voided"
    return Prompt(
        line=say("line.VOIDED" if void else "line.SETTLED"),
        tone="push" if void else "act",
        icon="push" if void else "turn",
        detail=(*_untaken(context), say("detail.CLEARED")),
        side=_total(context),
        bar=Bar(keys=(*_bet_keys(context), end, call_pit()), chips=rail(context)),
        amount_for="stake",
    )


def _untaken(context: PromptContext) -> tuple[Words, ...]:
    """A round may end with a bust: then nothing but this line tells the dealer to take the stake."""
    return () if context.snapshot.pay.handled else collected(context)


def rail(context: PromptContext) -> tuple[str, ...]:
    """Chips that the dealer can tap: the largest kinds of which a stake at this table can be made."""
    step, most = context.snapshot.rules.stake_step, context.snapshot.rules.stake_max
    values = [chip.value_minor for chip in context.settings.chips]
    least = max((value for value in values if step and step % value == 0), default=1)
    fitting = [value for value in values if value % least == 0 and (not most or value <= most)]
    return tuple(units(value) for value in fitting[-context.settings.rail :])


def _bet_keys(context: PromptContext) -> tuple[Key, ...]:
    """The keys beside the chips, always in the same places."""
    return repeat(context), _repeat_box(context), _amount(), clear()


def _repeat_box(context: PromptContext) -> Key:
    """The chosen box bets as in the round before; without one, each box that is tapped then."""
    again = bool(repeats(context))
    return Key(
        key="REPEAT_BOX",
        enabled=again,
        hotkeys=("x",),
        note=say("note.REPEAT" if again else "why.NO_BETS_BEFORE"),
        opens="repeat",
    )


def _amount() -> Key:
    return Key(key="AMOUNT", hotkeys=("t",), note=say("note.AMOUNT"), opens="amount")


def clear() -> Key:
    """Take the chips of the chosen box off again."""
    return Key(key="CLEAR", hotkeys=("c",), opens="clear")


def repeat(context: PromptContext) -> Key:
    """Return the key that repeats the bets of the last round."""
    acts = tuple(act for bets in repeats(context).values() for act in bets)
    return Key(
        key="REPEAT",
        enabled=bool(acts),
        hotkeys=("r",),
        note=say("note.REPEAT" if acts else "why.NO_BETS_BEFORE"),
        acts=acts,
    )


def repeats(context: PromptContext) -> dict[int, tuple[ObserveAct, ...]]:
    """Map each box to the acts that repeat its bets of the last round."""
    state = context.state
    if state.phase != COMPLETE:
        if not state.book.past.last:
            return {}
        state = state.book.past.last[-1]
    return {
        box.box: tuple(
            observe({"obs": "bet", "box": box.box, "seat": seat, "stake": stake}) for seat, stake in box.bets
        )
        for box in state.boxes
    }


def _faults(context: PromptContext) -> tuple[Words, ...]:
    """The chips that are no stake yet, and the rule that refuses them: one sentence for all such boxes."""
    places: dict[tuple[object, ...], list[Words]] = {}
    sentences: dict[tuple[object, ...], Words] = {}
    for (box, seat), draft in sorted(context.screen.drafts.items()):
        cause = (draft.code, *draft.params.items())
        sentences[cause] = described("refused", draft.code, draft.params.items())
        place = say("detail.BEHIND_AT", box=box, seat=seat) if seat else say("ui.box", box=box)
        places.setdefault(cause, []).append(place)
    return tuple(words for cause, boxes in places.items() for words in (*boxes, sentences[cause]))


def _limits(context: PromptContext) -> tuple[Words, ...]:
    """The limits of a stake: least, most, and the step where it is not simply the least."""
    rules = context.snapshot.rules
    limits: list[Words] = []
    if rules.stake_min and rules.stake_max:
        limits.append(say("detail.LIMITS", least=money(rules.stake_min), most=money(rules.stake_max)))
    elif rules.stake_min:
        limits.append(say("detail.MIN", least=money(rules.stake_min)))
    if rules.stake_step:
        limits.append(say("detail.STEP", step=money(rules.stake_step)))
    return tuple(limits)


def staked(context: PromptContext) -> int:
    """Minor units that lie on the table for the round that takes bets."""
    drafts = sum(draft.stake for draft in context.screen.drafts.values())
    if context.state.phase == COMPLETE:
        return drafts
    return drafts + sum(stake for box in context.state.boxes for _, stake in box.bets)


def _total(context: PromptContext) -> Side:
    return Side(title=say("ui.total"), text=say("ui.amount", amount=money(staked(context))))
