"""`stand17 rules analyse`: house edge and basic strategy of a rule set."""

from time import perf_counter
from typing import Final

from rich.table import Table

from controller.analyser import Analysis, Strategy, analyse, basic_strategy
from controller.analyser.strategy import UP_CARDS
from controller.cli.json_words import print_object
from controller.cli.output import console
from controller.rules import RuleFile

_HANDS: Final = {"hard": "", "soft": "soft ", "pair": "pair of "}
_LETTERS: Final = (
    "H hit · S stand · D double, else hit · Ds double, else stand · P split\n"
    "R surrender, else hit · Rs surrender, else stand · Rp surrender, else split"
)


def print_analysis(file: RuleFile, *, as_json: bool) -> None:
    """Analyse the rules of a file, and print the house edge and the basic strategy."""
    started = perf_counter()
    analysis = analyse(file.rules)
    strategy = basic_strategy(analysis)
    seconds = perf_counter() - started
    if as_json:
        print_object(_as_json(analysis, strategy, seconds))
    else:
        _print(file, analysis, strategy, seconds)


def _card(points: int) -> str:
    return "A" if points in (1, 11) else str(points)


def _as_json(analysis: Analysis, strategy: Strategy, seconds: float) -> dict[str, object]:
    return {
        "type": "rules_analysis",
        "name": analysis.rules.name,
        "decks": analysis.rules.decks,
        "edge_percent": round(analysis.edge_percent, 6),
        "insurance_edge_percent": round(analysis.insurance_edge_percent, 6),
        "up_cards": [_card(up) for up in UP_CARDS],
        "strategy": [row._asdict() for row in strategy.rows],
        "other_plays": [
            {**other._asdict(), "cards": [_card(points) for points in other.cards], "up": _card(other.up)}
            for other in strategy.other_plays
        ],
        "seconds": round(seconds, 3),
    }


def _print(file: RuleFile, analysis: Analysis, strategy: Strategy, seconds: float) -> None:
    shown = console()
    packs = analysis.rules.decks
    table = Table(box=None, title=f"{file.title} ({file.rules.name})")
    table.add_column("hand", justify="right")
    for up in UP_CARDS:
        table.add_column(_card(up), min_width=2)
    for row in strategy.rows:
        label = _card(row.total) if row.hand == "pair" else str(row.total)
        table.add_row(_HANDS[row.hand] + label, *row.advice)
    shown.print(table)
    shown.print(_LETTERS, highlight=False)
    for other in strategy.other_plays:
        cards = "+".join(_card(points) for points in reversed(other.cards))
        text = f"{cards} against {_card(other.up)}: {other.play}, not {other.instead_of}"
        shown.print(text, highlight=False)
    shown.print(
        f"House edge {analysis.edge_percent:.4f} % of the opening stake, {packs} {_packs(packs)} fresh from "
        f"the shuffle; insurance {analysis.insurance_edge_percent:.2f} % of its stake. {seconds:.1f} s.",
        highlight=False,
        soft_wrap=True,
    )


def _packs(count: int) -> str:
    return "pack" if count == 1 else "packs"
