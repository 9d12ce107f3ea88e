"""Options of a house: the acts that the table infers, and the questions that it asks (feed, section 7)."""

from typing import Final, Literal, NamedTuple

UnclearPolicy = Literal["mark", "ask"]
RunsOut = Literal["discards", "shoe"]
Mode = Literal["live", "shadow"]
PayoutsBy = Literal["confirm", "enter", "measure"]
"""How a house knows what was given: one tap at each box, an amount typed for it, or a chip source."""


class TableOptions(NamedTuple):
    """The options of a table; the defaults are those of a live table.

    `shoe_runs_out`: when the shoe runs out in a round, the screens ask for a shuffle of the discards (South
    Dakota 20:18:15:28; NSW BJ 17.11) or for a fresh shoe; the table accepts both.
    `card_gap_ms` is in milliseconds; 0: no question. `ask_hit_from` is a hard total; 0: no question.
    `shuffle_watch`: compare the order of the cards with earlier orders; off at a table opened before the
    watch existed. `count_every`: a count is due after this many shoes of uncounted packs; 0: never.
    `count_at_close`: a count is due before the table closes. `float_check`: a closing count that differs
    from the float raises an alert; off at a table opened before the check existed, and in a feed that does
    not ask for it. `payouts` is None at a table opened before the journal had payout entries: it continues
    without them. `mode`: a table in `shadow` records holds and questions, and does not wait.
    """

    stand_on_21: bool = True
    turn_by_card: bool = True
    paid_by_next_bet: bool = True
    unclear: UnclearPolicy = "ask"
    later_hand: UnclearPolicy = "mark"
    card_gap_ms: int = 250
    ask_hit_from: int = 17
    shoe_runs_out: RunsOut = "discards"
    payouts: PayoutsBy | None = "confirm"
    shuffle_watch: bool = True
    count_every: int = 0
    count_at_close: bool = False
    float_check: bool = True
    mode: Mode = "live"


DEFAULT_OPTIONS: Final = TableOptions()
