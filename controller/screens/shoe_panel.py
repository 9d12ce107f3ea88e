"""The shoe on screen, with a key per possible entry: loaded, cut card, shuffled, ended.

A snapshot comes in, a `ShoeView` goes out. It contains neither the number nor the ranks of the cards left.
"""

from typing import Final

from controller.acts.catalogue import ShoeLoaded, ShoeShuffled
from controller.acts.shoe import Shuffled
from controller.domain import RANKS, SUITS
from controller.engine.shoe import (
    before_first_card,
    can_load,
    can_shuffle,
    is_spent,
    needs_no_card,
    needs_shuffle,
)
from controller.engine.state import TableState
from controller.i18n import with_signs
from controller.i18n.numbers import units
from controller.runtime.api import Params, TableSnapshot
from controller.screens.shapes.acts import observe
from controller.screens.shapes.view import Key, LimitsView, ShoeState, ShoeView
from controller.screens.shapes.words import ViewModel, Words, described, say

_SHOE_WAY: Final = "shoe"
"""The way out of a hold that a fresh shoe or a shuffle is."""


class ClosingCount(ViewModel):
    """The differences of the shoe's closing count, for the pit: cards such as "As, 9h x2".

    `open` is false when no count waits for a ruling; then no card is named. `unread` is the number of dealt
    cards without a rank. `counting`: the rest is running through the reader, and a key of `out` removes a
    surplus card from the count.
    """

    open: bool
    missing: str
    extra: str
    unread: int
    counting: bool
    out: tuple[Key, ...]


def shoe_view(snapshot: TableSnapshot) -> ShoeView:
    """Return the shoe's panel."""
    state = snapshot.state
    return ShoeView(
        state=_state_of(state),
        decks=state.shoe.decks,
        burn_due=state.shoe.burn_due,
        burn_later=state.shoe.burn_later,
        shuffle_due=needs_shuffle(state),
        keys=(*_load_keys(snapshot), _cut_key(state), _shuffle_key(snapshot), _reader_key(snapshot)),
        rest=_rest_key(snapshot),
        limits=_limits(state),
    )


def closing_view(snapshot: TableSnapshot) -> ClosingCount:
    """Return the last closing count's missing and surplus cards; the caller checks that a supervisor asks."""
    named = dict(snapshot.closing)
    return ClosingCount(
        open=bool(named),
        missing=with_signs(str(named.get("missing", ""))),
        extra=with_signs(str(named.get("extra", ""))),
        unread=int(named.get("unread", 0)),
        counting=snapshot.rest is not None,
        out=_out_keys(snapshot.closing) if snapshot.rest is not None else (),
    )


def _out_keys(closing: Params) -> tuple[Key, ...]:
    """Return a key for each kind of surplus card with a known suit."""
    named = {part.partition(" ")[0] for part in str(dict(closing).get("extra", "")).split(", ")}
    return tuple(
        Key(
            key=f"REST_OUT_{rank}{suit}",
            label=say("key.REST_OUT", card=with_signs(f"{rank}{suit}")),
            acts=(observe({"obs": "rest_card", "rank": rank, "suit": suit, "out": True}),),
        )
        for rank in RANKS
        for suit in SUITS
        if f"{rank}{suit}" in named
    )


def _is_reported(state: TableState) -> bool:
    """Whether the shoe was entered, or cards were dealt from it without an entry."""
    return state.shoe.loaded or bool(state.shoe.seen) or state.book.number > 1


def load_key(decks: int, *, burned: int = 0) -> Key:
    """The key that tells of a fresh shoe of so many packs; `burned` cards are burned from it at once."""
    return Key(
        key="START_SHOE",
        note=say("note.BURN_PACKS" if burned else "note.PACKS", decks=decks, count=burned),
        acts=(observe({"obs": "shoe", "decks": decks}),),
    )


def shuffle_key(state: TableState) -> Key:
    """The key that tells of a shuffle: of the discards while a round needs cards, else of all cards."""
    cards: Shuffled = "all" if needs_no_card(state) else "discards"
    return Key(
        key="SHUFFLE",
        label=say(f"key.SHUFFLE_{cards.upper()}"),
        note=say(f"note.SHUFFLE_{cards.upper()}"),
        acts=(observe({"obs": "shuffle", "cards": cards}),),
    )


def _state_of(state: TableState) -> ShoeState:
    shoe = state.shoe
    if shoe.void:
        return "void"
    if shoe.ended:
        return "dealt_out"
    if is_spent(shoe):
        return "run_out"
    return "in_use" if _is_reported(state) else "not_entered"


def _load_keys(snapshot: TableSnapshot) -> tuple[Key, ...]:
    """A key for each number of packs that the rules allow."""
    state, rules = snapshot.state, snapshot.rules
    packs = dict.fromkeys((rules.decks, *rules.packs_allowed))
    why = _held(snapshot)
    if why is None and not can_load(state, ShoeLoaded(rules.decks)):
        why = say("why.CARDS_LEFT")
    burned = rules.burn_cards if needs_no_card(state) else 0
    keys = (load_key(decks, burned=burned) for decks in packs)
    return tuple(
        _off(key if decks == rules.decks else key.model_copy(update={"key": f"{key.key}_{decks}"}), why)
        for decks, key in zip(packs, keys, strict=True)
    )


def _cut_key(state: TableState) -> Key:
    """Return the key of the cut card, which can come out during any hold."""
    out = state.shoe.cut or needs_shuffle(state)
    key = Key(
        key="CUT_CARD",
        note=say("note.CUT_NOW" if before_first_card(state) else "note.CUT_LATER"),
        acts=(observe({"obs": "cut_card"}),),
    )
    return _off(key, say("why.CUT_CARD_OUT") if out else None)


def _shuffle_key(snapshot: TableSnapshot) -> Key:
    state = snapshot.state
    why = _held(snapshot)
    if not can_shuffle(state, ShoeShuffled("all")):
        why = described("refused", "SHOE_VOID")
    elif not needs_no_card(state) and not is_spent(state.shoe):
        why = say("why.CARDS_LEFT")
    return _off(shuffle_key(state), why)


def _rest_key(snapshot: TableSnapshot) -> Key:
    """The closing count is entered in a dialog: a shoe that was entered as at its end deals no more cards."""
    key = Key(key="SHOE_REST", note=say("note.SHOE_REST"))
    return _off(key, _not_at_end(snapshot))


def _reader_key(snapshot: TableSnapshot) -> Key:
    """The rest of the shoe is run through its reader, which counts it."""
    key = Key(
        key="REST_COUNT",
        note=say("note.REST_COUNT"),
        acts=(observe({"obs": "rest_count", "state": "begin"}),),
    )
    return _off(key, _not_at_end(snapshot))


def _not_at_end(snapshot: TableSnapshot) -> Words | None:
    """Why the shoe's end cannot be entered now: its rest is run through between the rounds."""
    if snapshot.holds:
        return described("refused", "TABLE_HELD")
    if snapshot.rest is not None:
        return described("refused", "REST_COUNTED")
    return None if needs_no_card(snapshot.state) else say("why.FINISH_ROUND")


def _held(snapshot: TableSnapshot) -> Words | None:
    """Why no shoe can be entered while the table waits, unless that is a way out of one of its holds."""
    if snapshot.rest is not None:
        return described("refused", "REST_COUNTED")
    if not snapshot.holds or any(_SHOE_WAY in hold.ways for hold in snapshot.holds):
        return None
    return described("refused", "TABLE_HELD")


def _off(key: Key, why: Words | None) -> Key:
    """The key, off with the reason where there is one."""
    return key if why is None else key.model_copy(update={"enabled": False, "note": why})


def _limits(state: TableState) -> LimitsView:
    """The limits that were entered last: those of this round, or those from the next one on."""
    source = state.book.limits_next or state.book.rules
    return LimitsView(
        stake_min=units(source.stake_min),
        stake_max=units(source.stake_max),
        stake_step=units(source.stake_step),
    )
