"""Entries of the journal as sentences: person and act, without codes, field names or JSON.

The placeholders of a sentence are fields of the entry's body; `_HOLES` contains their names and formats. A
card's sentence names its place: "8♥ to box 1, total 8", and "6♥, not 8♥, box 4".
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, Final

from controller.acts.catalogue import CardSeen
from controller.engine.hands import add_card
from controller.engine.state import TableState
from controller.history.entry_line import ROLES, amount_of
from controller.history.history import History
from controller.i18n import HOLE, SUIT_SIGNS, catalogue, money_holes, units, with_signs, word_holes
from controller.runtime.api import AuditLine, TablePort, TableSnapshot
from controller.runtime.snapshot import BROKEN
from controller.screens.felt import total_text
from controller.screens.words import Money, Word, Words, described, moved, reason_of

Body = Mapping[str, Any]

TABLE: Final = ("system", "")
"""Actors that are the table itself."""


def body_of(line: AuditLine) -> Body:
    """Return the body of an entry; empty for an unreadable one."""
    body: dict[str, Any] = json.loads(line.body)
    return {} if "unreadable" in body else body


def sentence_of(line: AuditLine) -> Words | None:
    """Return the sentence of an entry; None for an entry that repeats another one."""
    body = body_of(line)
    match line.kind:
        case "alert" | "trouble":
            return described("alert", body.get("code", ""), _params(body))
        case "held" if body.get("code") == "FROZEN" and line.actor.startswith("pit:"):
            # A freeze by the pit is no call.
            note = str(body.get("params", {}).get("note", ""))
            who = who_of(line.actor)
            if not note:
                return Words(code="did.frozen", params={"who": who})
            return Words(code="did.freeze", params={"who": who, "reason": reason_of(note)})
        case "held":
            return described("hold", body.get("code", ""), _params(body))
        case "disputed":
            return described("dispute", body.get("code", ""), _params(body))
        case "refused":
            return described("refused", body.get("code", ""), _params(body))
        case "answered" if body.get("code", "") == "":
            return None
        case _:
            pass
    key = _key(line, body)
    return None if key is None else Words(code=key, params=_filled(key, line, body))


def sentence_of_fact(by: str, fields: Body) -> Words | None:
    """Return the sentence of a feed's line: `fields` as written there, `by` "" for a device's."""
    return sentence_of(AuditLine(0, "fact", 0, None, by or "device:", json.dumps(fields), ""))


def _params(body: Body) -> list[tuple[str, int | str]]:
    return list(body.get("params", {}).items())


def _key(line: AuditLine, body: Body) -> str | None:
    """Return the key of an entry's text; None when the catalogues have none."""
    name = _fact_name(line, body) if line.kind == "fact" else _kind_name(line, body)
    key = f"did.{name}"
    return key if key in catalogue("en") else None


def _kind_name(line: AuditLine, body: Body) -> str:
    match line.kind:
        case "alert_step":
            step = str(body.get("step"))
            by_person = line.actor.partition(":")[0] not in {*TABLE, "device"} and body.get("note")
            return "alert_closed" if step == "resolve" and not by_person else f"alert_{step}"
        case "payout":
            return "payout_right" if body.get("paid") == body.get("expected") else "payout"
        case "ordered":
            return f"order_{body.get('order')}"
        case "adjusted":
            return "settled_again"
        case "inferred" if body.get("what") == "reveal":
            return "reveal"
        case "inferred" if body.get("what") != "stand":
            return "inferred_action"
        case _:
            return "broken" if line.kind == BROKEN else line.kind


def _fact_name(line: AuditLine, body: Body) -> str:
    """Name the sentence of a fact: by its `obs` and `what`, or by the value that makes another one of it."""
    obs, what = str(body.get("obs")), body.get("what")
    variant = _VARIANTS.get(obs)
    if variant is not None:
        return variant(line, body)
    return obs if what is None else f"{obs}_{what}"


def _card(line: AuditLine, body: Body) -> str:
    if body.get("rank") is None:
        return "card_unread" if body.get("face") == "up" else "card_hidden"
    return "card_by_hand" if line.actor.partition(":")[0] in ROLES else "card"


def _amend(_: AuditLine, body: Body) -> str:
    what = body["what"]
    if what == "decision" and body.get("action") is None:
        return "amend_decision_none"
    return "amend_even_money_not" if what == "even_money" and not body.get("taken") else f"amend_{what}"


def _slip_void(_: AuditLine, body: Body) -> str:
    """Return the text's name by the kind of the slip; a drop without a slip is named by its place."""
    return "slip_void_nth" if body.get("slip") is None else f"slip_void_{body.get('kind')}"


def _rest_card(line: AuditLine, body: Body) -> str:
    """A person's entry; the reader's cards have no sentence, since the end of the count reports them."""
    if body.get("rank") is None or line.actor.partition(":")[0] not in ROLES:
        return ""
    return "rest_card_out" if body.get("out") else "rest_card"


_VARIANTS: Final[dict[str, Callable[[AuditLine, Body], str]]] = {
    "bet": lambda _, body: "bet" if body.get("stake") else "bet_off",
    "card": _card,
    "decision": lambda line, body: (
        "inferred_action" if line.actor.partition(":")[0] in TABLE else f"decision_{body.get('action')}"
    ),
    "insurance": lambda _, body: "insurance" if body.get("stake") else "insurance_none",
    "peek": lambda _, body: "peek_blackjack" if body.get("blackjack") else "peek",
    "correct": lambda _, body: "correct_hidden" if body.get("rank") is None else "correct",
    "strike": lambda _, body: "strike_burn" if body.get("burn") else "strike",
    "move": lambda _, body: "move_dealer" if body.get("to") == "dealer" else "move",
    "void": lambda _, body: "void" if body.get("box") is None else "void_box",
    "amend": _amend,
    "paid": lambda _, body: "paid" if body.get("round") is None else "paid_late",
    "device": lambda _, body: f"device_{body.get('state')}",
    "table": lambda _, body: f"table_{body.get('state')}",
    "dealer": lambda _, body: f"dealer_{body.get('at')}",
    "rating": lambda _, body: "rating" if body.get("guest") else "rating_off",
    "count": lambda _, body: f"count_{body.get('at')}",
    "slip_void": _slip_void,
    "rest_card": _rest_card,
    "rest_count": lambda _, body: "rest_count" if body.get("state") == "begin" else "rest_count_cancel",
}


def _filled(key: str, line: AuditLine, body: Body) -> dict[str, Any]:
    holes = set(HOLE.findall(catalogue("en")[key]))
    return {hole: _value(key, hole, line, body) for hole in holes}


def _value(key: str, hole: str, line: AuditLine, body: Body) -> int | str | Money | Word:
    """Return the value of a sentence's placeholder."""
    fill = _HOLES.get(hole)
    value = fill(line, body) if fill is not None else body.get(hole)
    if hole in word_holes(key):
        return Word(word=f"{hole}.{value}")
    if hole in money_holes(key):
        return Money(money=units(value if isinstance(value, int) else 0))
    return value if isinstance(value, int | Word | Money) else str(value or "?")


def who_of(actor: str) -> str | Word:
    """Return the author of an entry: a person's or device's id, or the table itself as a word."""
    role, _, name = actor.partition(":")
    return Word(word="who.system") if role in TABLE else name or role


def _signed_by(who: str | Word, body: Body) -> str | Word:
    """Return the author, with the second person of an act that takes two."""
    second = str(body.get("second") or "").rpartition(":")[2]
    return f"{who} + {second}" if second and isinstance(who, str) else who


def card_name(body: Body) -> str:
    """Write the card that a body names as 10♥; the rank alone without a suit."""
    return f"{body.get('rank') or ''}{SUIT_SIGNS.get(str(body.get('suit')), '')}"


def _house_won(settled: Body) -> int:
    """Return the house's win by a settlement, minor units."""
    return sum(bet["staked"] - bet["returned"] for bet in settled.get("bets", ()))


def _named(_: AuditLine, body: Body) -> str:
    """The card of an entry: of a fact by rank and suit, of a naming as "8h"."""
    return with_signs(str(body.get("card"))) if "camera" in body else card_name(body)


def _change(_: AuditLine, body: Body) -> Money:
    """Return the signed change of the house's win by a second settlement."""
    returned = [bet["returned_before"] - bet["returned_after"] for bet in body.get("bets", ())]
    stakes = [bet.get("staked_after", 0) - bet.get("staked_before", 0) for bet in body.get("bets", ())]
    return moved(sum(returned) + sum(stakes))


_HOLES: Final[dict[str, Callable[[AuditLine, Body], Any]]] = {
    "who": lambda line, body: _signed_by(who_of(line.actor), body),
    "reason": lambda _, body: reason_of(str(body.get("reason", ""))),
    "note": lambda _, body: reason_of(str(body.get("note", ""))),
    "text": lambda _, body: reason_of(str(body.get("text", ""))),
    "number": lambda _, body: body.get("card"),
    "card": _named,
    "action": lambda _, body: body.get("action") or body.get("what"),
    "house": lambda _, body: moved(_house_won(body)),
    "total": lambda _, body: body.get("dealer", {}).get("total"),
    "change": _change,
    "amount": lambda _, body: amount_of(body) or 0,
    "box": lambda _, body: f"{body.get('box')} +{body['seat']}" if body.get("seat") else body.get("box"),
}


CARDS: Final = "SELECT seq FROM entry WHERE number = ? AND obs = 'card' ORDER BY seq LIMIT 1 OFFSET ?"
CORRECTED: Final = (
    "SELECT seq FROM entry WHERE number = ? AND obs = 'correct' AND card = ? AND seq < ?"
    " ORDER BY seq DESC LIMIT 1"
)

TO: Final = {"ui.box": "did.to_box", "ui.box_hand": "did.to_box_hand", "ui.dealer": "did.to_dealer"}
"""A place within a sentence, as where a card went."""

Say = Callable[[AuditLine], Awaitable[Words | None]]
"""Says what an entry says."""


async def placed_sentence(
    table: TablePort, latest: TableSnapshot, history: History, line: AuditLine
) -> Words | None:
    """Return the sentence of an entry; for a card and its correction, with the card's place.

    `latest` is the table as screens may see it. In a round that is no longer kept a card has no place.
    """
    said = sentence_of(line)
    if said is None or line.round is None or said.code not in ("did.card", "did.correct"):
        return said
    number = int(body_of(line).get("round") or line.round)
    state = latest.state if number == latest.state.book.number else table.closed_round(number)
    if state is None:
        return said
    if said.code == "did.correct":
        return await _corrected(table, history, said, line, state)
    return _dealt(history, said, line, state)


async def _corrected(
    table: TablePort, history: History, said: Words, line: AuditLine, state: TableState
) -> Words:
    """A correction with the card that stood there before."""
    number = body_of(line).get("card")
    cards = [fact.n for fact in state.log if isinstance(fact.obs, CardSeen)]
    if number not in cards:
        return said
    before = history.rows(CORRECTED, (state.book.number, number, line.seq))
    before = before or history.rows(CARDS, (state.book.number, cards.index(number)))
    lines = await table.audit(before[0]["seq"], 1) if before else ()
    was = card_name(body_of(lines[0])) if lines else ""
    place = _place(state, number)
    if not was or place is None:
        return said
    return Words(code="did.correct_placed", params={**said.params, "was": was, "place": place[0]})


def _dealt(history: History, said: Words, line: AuditLine, state: TableState) -> Words:
    """Return the sentence of a dealt card with its box and the hand's total."""
    seqs = history.rows(
        "SELECT count(*) AS before FROM entry WHERE number = ? AND obs = 'card' AND seq < ?",
        (state.book.number, line.seq),
    )
    cards = [fact.n for fact in state.log if isinstance(fact.obs, CardSeen)]
    index = seqs[0]["before"]
    place = _place(state, cards[index]) if index < len(cards) else None
    if place is None:
        return said
    word, total = place
    params = {**said.params, "place": Word(word=TO[word.word], params=word.params)}
    if total is None:
        return Words(code="did.card_placed", params=params)
    return Words(code="did.card_total", params={**params, "total": total})


def _place(state: TableState, number: int) -> tuple[Word, str | None] | None:
    """Return the place of the card and its hand's total; the dealer's total is left out."""
    for box in state.boxes:
        for hand in box.hands:
            held = [seen.n for seen in hand.cards]
            if number in held:
                params = {"box": box.box, "hand": hand.number}
                word = Word(word="ui.box_hand" if len(box.hands) > 1 else "ui.box", params=params)
                empty = replace(hand, cards=(), hard=0, aces=0, unread=0)
                then = reduce(add_card, hand.cards[: held.index(number) + 1], empty)
                return word, total_text(then.hard, then.aces, then.unread, soft=True)
    if any(seen.n == number for seen in state.dealer.cards):
        return Word(word="ui.dealer"), None
    return None
