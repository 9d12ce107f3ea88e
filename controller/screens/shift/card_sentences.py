"""Entries about cards as sentences with their place: "8♥ to box 1, total 8", and "6♥, not 8♥, box 4"."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import reduce
from typing import Final

from controller.acts.catalogue import CardSeen
from controller.engine.hands import add_card
from controller.engine.state import TableState
from controller.history.history import History
from controller.runtime.api import AuditLine, TablePort, TableSnapshot
from controller.screens.felt import total_text
from controller.screens.shapes.words import Word, Words
from controller.screens.shift.sentences import Body, body_of, card_name, sentence_of

CARDS: Final = "SELECT seq FROM entry WHERE number = ? AND obs = 'card' ORDER BY seq LIMIT 1 OFFSET ?"
CORRECTED: Final = (
    "SELECT seq FROM entry WHERE number = ? AND obs = 'correct' AND card = ? AND seq < ?"
    " ORDER BY seq DESC LIMIT 1"
)

TO: Final = {"ui.box": "did.to_box", "ui.box_hand": "did.to_box_hand", "ui.dealer": "did.to_dealer"}
"""A place within a sentence, as where a card went."""

Say = Callable[[AuditLine], Awaitable[Words | None]]
"""Says what an entry says."""


class CardSentences:
    """Knows the rounds that are kept; of older ones a card has no place."""

    def __init__(self, table: TablePort, latest: TableSnapshot, history: History) -> None:
        """`latest` is the table as screens may see it."""
        self._table = table
        self._latest = latest
        self._history = history

    async def of(self, line: AuditLine) -> Words | None:
        """Return the sentence of an entry; for a card and its correction, with the card's place."""
        said = sentence_of(line)
        if said is None or line.round is None or said.code not in ("did.card", "did.correct"):
            return said
        body = body_of(line)
        number = int(body.get("round") or line.round)
        state = self._latest.state
        if number != state.book.number:
            kept = self._table.closed_round(number)
            if kept is None:
                return said
            state = kept
        if said.code == "did.correct":
            return await self._corrected(said, line, body, state)
        return await self._dealt(said, line, state)

    async def _corrected(self, said: Words, line: AuditLine, body: Body, state: TableState) -> Words:
        """A correction with the card that stood there before."""
        number = body.get("card")
        cards = [fact.n for fact in state.log if isinstance(fact.obs, CardSeen)]
        if number not in cards:
            return said
        before = self._history.rows(CORRECTED, (state.book.number, number, line.seq))
        before = before or self._history.rows(CARDS, (state.book.number, cards.index(number)))
        lines = await self._table.audit(before[0]["seq"], 1) if before else ()
        was = card_name(body_of(lines[0])) if lines else ""
        place = _place(state, number)
        if not was or place is None:
            return said
        return Words(code="did.correct_placed", params={**said.params, "was": was, "place": place[0]})

    async def _dealt(self, said: Words, line: AuditLine, state: TableState) -> Words:
        """Return the sentence of a dealt card with its box and the hand's total."""
        seqs = self._history.rows(
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
