"""`stand17 show`: one round as people read it."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from controller.cli.json_words import print_object
from controller.cli.options import AsJson
from controller.cli.output import echo, sentence
from controller.cli.replay.amounts import amount, clock, signed_amount
from controller.domain import ConfigError
from controller.i18n import text

if TYPE_CHECKING:
    from controller.feed.replay import Json


_BARE: Final = frozenset({"obs", "what", "action", "rank", "suit", "name", "state"})
"""Fields that are written without their name."""
APART: Final = frozenset({"by", "reason", "round"})
"""Fields that stand elsewhere in the line. Every other one is written with its name."""

AMOUNTS: Final = ("staked", "returned", "handed_back", "difference", "net")
"""The amounts of a bettor in an account; `returned` is what is due."""

CERTAIN: Final = 0.999
"""The reader's own limit of a certain card: one below it is printed with its certainty."""


def show(
    file: Annotated[str, typer.Argument(help="A feed, gzip too, a journal, a recording; - is a feed.")],
    number: Annotated[int, typer.Option("--round", min=1, help="The round's number.")],
    *,
    table: Annotated[
        bool, typer.Option("--table", help="A feed: through a table's door, holds too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a round: cards by box, decisions, holds, rulings, payouts and the rules that decided.

    A face-down card stays masked until it is turned. Journals and recordings are played through
    their table's door. Exit status 0; 2 when the file cannot be read or has no such round.
    """
    from controller.replay.files.table_file import read_table_file
    from controller.replay.rounds.account import round_account
    from controller.replay.rounds.played import played_rounds

    opened = read_table_file(file)
    at_table = table or opened.at_table
    rounds = played_rounds(opened, at_table=at_table)
    found = next((played for played in rounds if played.number == number), None)
    if found is None:
        raise ConfigError("ROUND_NOT_FOUND", round=number, last=rounds[-1].number if rounds else 0)
    account = round_account(opened, found)
    if as_json:
        print_object(account, escaped=False)
        return
    for line in _account_lines(account):
        echo(line)


def _account_lines(account: "Json") -> Iterator[str]:
    """The account in words."""
    first, last = account["lines"]
    begins, ends = account["t"]
    yield text(
        "show.head",
        {
            "round": account["round"],
            "status": account["status"],
            "table": account["table"] or "-",
            "rules": account["rules"],
            "first": first,
            "last": last,
            "begins": clock(begins),
            "ends": clock(ends),
        },
    )
    dealer = account["dealer"]
    yield text("show.dealer", {"cards": _cards(dealer), "total": dealer["total"]})
    currency = account["currency"]
    for box in account["boxes"]:
        yield from _box(box, account["money"], currency)
    yield from _certainty(account)
    yield from _listed("show.events", [_event(event, currency) for event in account["events"]])
    total = {key: sum(bet[key] for bet in account["money"]) for key in AMOUNTS}
    yield text("show.sum", _amounts(total, currency))


def _amounts(bet: Mapping[str, int], currency: str) -> dict[str, str]:
    """The holes of a sentence on a bettor's amounts, or on their sums."""
    return {
        "staked": amount(bet["staked"], currency),
        "due": amount(bet["returned"], currency),
        "given": amount(bet["handed_back"], currency),
        "difference": signed_amount(bet["difference"], currency),
        "net": signed_amount(bet["net"], currency),
    }


def _cards(hand: "Json") -> str:
    """The cards, each with its certainty where the reader's own limit of a certain card is not reached."""
    told = (
        card if p is None or p >= CERTAIN else f"{card} ({p * 100:.2f} %)"
        for card, p in zip(hand["cards"], hand["p"], strict=True)
    )
    return " ".join(told) or "-"


def _certainty(account: "Json") -> Iterator[str]:
    """Yield the number of cards with a certainty, and the least of them."""
    hands = [account["dealer"], *(hand for box in account["boxes"] for hand in box["hands"])]
    cards = [(p, card) for hand in hands for card, p in zip(hand["cards"], hand["p"], strict=True)]
    known = [(p, card) for p, card in cards if p is not None]
    if known:
        least, card = min(known)
        holes = {"card": card, "percent": f"{least * 100:.2f}", "count": len(known), "of": len(cards)}
        yield text("show.certainty", holes)


def _box(box: "Json", money: "list[Json]", currency: str) -> Iterator[str]:
    yield text("diff.at_box", {"box": box["box"]}) + (f"  {text('show.to_act')}" if box["to_act"] else "")
    for hand in box["hands"]:
        stakes = ", ".join(_stake(each, currency) for each in hand["stakes"])
        holes = {"hand": hand["hand"], "cards": _cards(hand), "total": hand["total"], "stakes": stakes}
        yield "  " + text("show.hand", holes)
    for each in box["insurance"]:
        yield "  " + text("show.insurance", {"stake": _stake(each, currency)})
    for bet in money:
        if bet["box"] == box["box"]:
            yield from _bet(bet, currency)


def _stake(each: "Json", currency: str) -> str:
    behind = f" ({text('show.seat', {'seat': each['seat']})})" if each["seat"] else ""
    return amount(each["stake"], currency) + behind


def _bet(bet: "Json", currency: str) -> Iterator[str]:
    for part in bet["parts"]:
        rules = ", ".join(part["decided_by"])
        line = text(
            "show.part",
            {
                "seat": bet["seat"],
                "hand": part["hand"],
                "kind": part["kind"],
                "outcome": part["outcome"],
                "stake": amount(part["stake"], currency),
                "due": amount(part["returned"], currency),
            },
        )
        yield f"  {line}" + (f"  [{rules}]" if rules else "")
    key = "show.net_given" if bet["entered"] else "show.net"
    yield "  " + text(key, {"seat": bet["seat"], **_amounts(bet, currency)})


def _listed(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield text(title)
    yield from (f"  {line}" for line in lines)


def _event(event: "Json", currency: str) -> str:
    where = text("diff.line", {"line": event["line"], "t": clock(event["t"])})
    late = f" {text('show.late')}" if event.get("late") else ""
    by = f" {event['by']}" if "by" in event else ""
    return f"{where}{late}{by}: {_event_text(event, currency)}"


def _event_text(event: "Json", currency: str) -> str:
    if "told" in event:
        found = event["told"]
        words = [
            _word(key, value, currency)
            for key, value in found.items()
            if key not in APART and value is not None
        ]
        reason = f" ({found['reason']})" if found.get("reason") else ""
        ruling = f"{event['event']} " if event["event"] == "ruling" else ""
        return ruling + " ".join(words) + reason
    code = event.get("code", event.get("what", ""))
    ways = f" [{', '.join(event['ways'])}]" if event.get("ways") else ""
    kind = {"hold": "hold", "alert": "alert", "dispute": "alert", "refused": "refused"}.get(event["event"])
    meaning = sentence(kind, str(code), event.get("params", {})) if kind else _place(event)
    return f"{event['event']} {code}{ways}: {meaning}" if meaning else f"{event['event']} {code}"


def _place(event: "Json") -> str:
    return text("diff.at_hand", event) if event.get("box") else ""


def _word(key: str, value: Any, currency: str) -> str:
    from controller.feed.codec import is_amount

    if key in _BARE:
        return str(value)
    if is_amount(key) and isinstance(value, int):
        return f"{key} {amount(value, currency)}"
    return f"{key} {value if isinstance(value, str) else json.dumps(value)}"
