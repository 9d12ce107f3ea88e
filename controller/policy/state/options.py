"""What a house lets its table infer, and what it has to ask (feed format, section 7)."""

from typing import Final, Literal, NamedTuple

UnclearPolicy = Literal["mark", "ask"]
RunsOut = Literal["discards", "shoe"]
Mode = Literal["live", "shadow"]
PayoutsBy = Literal["confirm", "enter", "measure"]
"""How a house knows what was given: one tap at each box, an amount typed for it, or a chip source."""


class TableOptions(NamedTuple):
    """The options of a table; the defaults are those of a live one.

    `shoe_runs_out`: where the shoe runs out in a round the discards are shuffled (South Dakota 20:18:15:28;
    NSW BJ 17.11), or a fresh shoe is brought; it says what the screens ask for, both are taken.
    `card_gap_ms` is in milliseconds, 0 asks nothing. `ask_hit_from` is a hard total, 0 asks never.
    `shuffle_watch`: the order of the cards is compared with earlier ones; a table opened before there was a
    watch goes on without. `count_every`: after so many shoes of a set of packs that nobody has counted a
    count is due, 0 never; `count_at_close`: before the table closes. `float_check`: a closing count that
    differs from the float is an alert; a table opened before there was one, and a feed that does not ask for
    it, goes on without.
    `payouts` is None at a table that was opened before payouts had entries of their own in the journal: it
    goes on without them.
    `mode`: a table in `shadow` notes what it would have stopped or asked, and goes on over it.
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
