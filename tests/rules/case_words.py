"""The words of a case file, one line each, and the observations they stand for."""

import json
import re
from collections.abc import Iterator
from typing import Any

from controller.domain import RANKS, SUITS

Json = dict[str, Any]
_PLACE = r"(?:(?P<to>[DB]|\d(?:\.\d+)?):)?"
_CARD = re.compile(rf"^{_PLACE}(?P<down>\()?(?P<rank>\?|10|[2-9AJQK])(?P<suit>[cdhs])?\)?(?P<x>/)?$")


class CaseError(Exception):
    """A case file is wrong; the text names the case and the line."""


def _target(word: str) -> Json:
    """Read a place: `D`, `B`, `3` or `3.2` (box and hand)."""
    if word in "DB":
        return {"to": {"D": "dealer", "B": "burn"}[word]}
    box, _, hand = word.partition(".")
    return {"to": "box", "box": int(box), "hand": int(hand or 1)}


def _card(token: str) -> Json:
    """Read a card token: `9c`, `(Kh)` face down, `?` unread, `9c/` across, `2.1:9c` at box 2 hand 1."""
    match = _CARD.match(token)
    if match is None:
        raise CaseError(f"not a card: {token}")
    rank = match["rank"]
    line: Json = {"obs": "card", "rank": None if rank == "?" else rank, "suit": match["suit"]}
    if match["to"]:
        line |= _target(match["to"])
    if match["down"]:
        line["face"] = "down"
    elif rank == "?":
        line["face"] = "up"
    if match["x"]:
        line["pose"] = "across"
    return line


def seat_of(word: str) -> tuple[int, int]:
    """Read `3` or `3.1` as box and seat."""
    box, _, seat = word.partition(".")
    return int(box), int(seat or 0)


def _decision(words: list[str]) -> Json:
    """Read `2.1 split seats=0,1 stakes=0:400,1:0`."""
    box, hand = seat_of(words[0])
    return {"obs": "decision", "box": box, "hand": hand or 1, "action": words[1]} | _second_stakes(words[2:])


def _second_stakes(options: list[str]) -> Json:
    """Read `seats=0,1` and `stakes=0:400,1:0`."""
    said: Json = {}
    for option in options:
        key, _, value = option.partition("=")
        if key == "seats":
            said["seats"] = [int(seat) for seat in value.split(",")]
        else:
            said["stakes"] = {pair.split(":")[0]: int(pair.split(":")[1]) for pair in value.split(",")}
    return said


def _ruling(words: list[str]) -> Json:
    """Read `correct N CARD`, `strike N [burn] [as=KIND]`, `move N PLACE`, `void [BOX]`, `swap HAND HAND`.

    Or `amend ...`; each with `round=N` at the end.
    """
    line: Json = {"obs": words[0], "by": "pit", "reason": "seen on the felt"}
    rest = [word for word in words[1:] if not word.startswith("round=")]
    if len(rest) < len(words) - 1:
        line["round"] = int(words[-1].partition("=")[2])
    if words[0] == "void":
        return line | ({"box": int(rest[0])} if rest else {})
    if words[0] == "swap":
        return line | {"from": _hand_name(rest[0]), "with": _hand_name(rest[1])}
    if words[0] == "amend":
        return line | _amended(rest)
    line |= {"card": int(rest[0])} if rest[0].isdigit() else {"id": rest[0]}
    if words[0] == "correct":
        seen = _card(rest[1])
        line |= {"rank": seen["rank"], "suit": seen["suit"]}
    elif words[0] == "move":
        line |= _target(rest[1])
    for option in rest[1:] if words[0] == "strike" else ():
        line |= {"burn": True} if option == "burn" else {"as": option.removeprefix("as=")}
    return line


def _hand_name(word: str) -> Json:
    """Read `3` or `3.2` as box and hand."""
    box, hand = seat_of(word)
    return {"box": box, "hand": hand or 1}


def _amended(words: list[str]) -> Json:
    """Read `stake 1.1 500`, `dec 1.2 3 hit`, `ins 1 200`, `even 1 yes`, `peek no`, `reveal` or `close`."""
    what, *rest = words
    if what == "dec":
        hand = {"what": "decision"} | _hand_name(rest[0]) | {"nth": int(rest[1])}
        return hand | {"action": None if rest[2] == "null" else rest[2]} | _second_stakes(rest[3:])
    if what == "peek":
        return {"what": what, "blackjack": rest[0] == "yes"}
    if what in ("reveal", "close"):
        return {"what": what}
    box, seat = seat_of(rest[0])
    who: Json = {"box": box, "seat": seat}
    if what == "even":
        return {"what": "even_money"} | who | {"taken": rest[1] == "yes"}
    return {"what": {"ins": "insurance"}.get(what, what)} | who | {"stake": int(rest[1])}


def _table_event(words: list[str]) -> Json | None:
    """Read `shuffle all`, `shoe_end 1 without As 9h and 2c`, `shoe_void`, `limits 400 0 100`, `table closed`.

    After `shoe_end` stand the packs whose cards were in the rest, those that were not in it, and those that
    lay in it besides; a plain `shoe_end` tells no rest.
    """
    verb, rest = words[0], words[1:]
    ruled = {"by": "pit:P1", "reason": "seen on the felt"}
    if verb == "shuffle":
        return {"obs": "shuffle", "cards": rest[0]}
    if verb == "shoe_end":
        return {"obs": "shoe_end"} | ({"cards": _rest_of_shoe(rest)} if rest else {})
    if verb == "limits":
        named = zip(("stake_min", "stake_max", "stake_step"), map(int, rest), strict=True)
        return {"obs": "limits"} | dict(named) | {"by": "pit:P1"}
    if verb == "table":
        return {"obs": "table", "state": rest[0], "by": "pit:P1"}
    if verb == "resume":
        return {"obs": "resume"} | ruled | ({"codes": rest} if rest else {})
    return {"obs": "shoe_void"} | ruled if verb == "shoe_void" else None


def _rest_of_shoe(words: list[str]) -> list[str]:
    """Read `1 without As 9h and 2c`: the cards of one pack, without the first two, and one more."""
    cards = [rank + suit for rank in RANKS for suit in SUITS] * int(words[0])
    more = words[words.index("and") + 1 :] if "and" in words else []
    gone = words[2 : len(words) - len(more) - bool(more)]
    for card in gone:
        cards.remove(card)
    return cards + more


def _spoken(words: list[str]) -> Json | None:
    """Read a line that starts with a word of the feed; None when it holds cards."""
    verb, rest = words[0], words[1:]
    if verb in ("close", "end"):
        return {"obs": verb}
    if verb in ("correct", "strike", "move", "void", "swap", "amend"):
        return _ruling(words)
    if verb == "shoe":
        return {"obs": "shoe", "decks": int(rest[0])} | ({"cards": int(rest[1])} if rest[1:] else {})
    if verb == "exposed":
        return {"obs": verb, "who": int(rest[0]) if rest[0].isdigit() else rest[0]}
    if verb in ("bet", "ins", "even", "paid", "leave"):
        return _money(verb, rest)
    if verb == "peek":
        return {"obs": "peek", "blackjack": rest[0] == "yes"}
    if verb == "reveal":
        seen = _card(rest[0]) if rest else {}
        return {"obs": "reveal"} | {key: seen[key] for key in ("rank", "suit") if key in seen}
    fixed = {"insclosed": "insurance_closed", "cut": "cut_card"}
    return {"obs": fixed[verb]} if verb in fixed else _table_event(words)


def _money(verb: str, rest: list[str]) -> Json:
    """Read `bet 1.1 400`, `ins 1 200`, `even 1`, `leave 1.1` or `paid 1 800 [round=N]`."""
    box, seat = seat_of(rest[0])
    who: Json = {"box": box, "seat": seat}
    if verb == "even":
        return {"obs": "even_money"} | who
    if verb == "leave":
        return {"obs": "leave"} | who
    if verb == "paid":
        named = {"round": int(rest[2].removeprefix("round="))} if rest[2:] else {}
        return {"obs": "paid"} | who | {"amount": int(rest[1])} | named
    return {"obs": "bet" if verb == "bet" else "insurance"} | who | {"stake": int(rest[1])}


def observations(text: str) -> Iterator[Json]:
    """Read one line of a case: raw JSON, one word of the feed, a decision, or any number of cards."""
    if text.startswith("{"):
        yield json.loads(text)
        return
    words = text.split()
    spoken = _spoken(words)
    if spoken is not None:
        yield spoken
    elif len(words) > 1 and words[1] in ("hit", "stand", "double", "split", "surrender"):
        yield _decision(words)
    else:
        for token in words:
            yield _card(token)
