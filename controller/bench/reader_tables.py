"""The report of `stand17 bench reader` for people."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from rich.console import Console
from rich.table import Table

Figures = dict[str, Any]
Cells = tuple[str, ...]


def grid(title: str, columns: Iterable[str], rows: Iterable[Cells]) -> Table:
    """A table whose first column is words and whose others are numbers."""
    table = Table(title=title, title_justify="left")
    first, *others = columns
    table.add_column(first)
    for column in others:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*row)
    return table


def number(value: object) -> str:
    """With thousands apart; a dash for what is not known."""
    if value is None:
        return "-"
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share as per cent; a dash for none."""
    return "-" if share is None else f"{share:.{digits}%}"


def show(report: Figures, console: Console) -> None:
    """Prints every section that was measured."""
    kind = "full run" if report["full"] else "sample only: too few to prove a rate"
    console.print(f"Card reader, {kind}.")
    for name, known in report["models"].items():
        console.print(f"Network {name}: {number(known['bytes'])} bytes, {known['sha256'][:16]}")
    console.print(
        f"{report['processors']} processors ({report['machine']}), load {report['load']} at the start, "
        f"{report['load_at_end']} at the end; onnxruntime {report['onnxruntime']}, OpenCV {report['opencv']}"
    )
    for name, printer in PRINTERS.items():
        if name in report:
            printer(report[name], console)


def show_photographs(figures: Figures | None, console: Console) -> None:
    """One row a source; every silent error."""
    if figures is None:
        console.print("Photographs: none given (--cards FOLDER).")
        return
    names = ("pictures", "cards", "right", "wrong", "suit_errors", "unclear", "missed", "beside")
    rows = (
        (
            source,
            *(number(sums.get(name, 0)) for name in names),
            percent(sums["bound"], 2),
            without_label_errors(sums),
            number(sums["median_ms"]),
        )
        for source, sums in figures["sources"].items()
    )
    columns = (
        "source",
        *(name.replace("_", " ") for name in names),
        "bound 95 %",
        "without label errors",
        "ms",
    )
    console.print(grid("Photographs that had no part in training", columns, rows))
    show_hands(figures["sources"], "Their hands", console)
    for sums in figures["sources"].values():
        for error in sums["errors"]:
            note = f"; label: {error['label_error']}" if "label_error" in error else ""
            console.print(
                f"{error['file']}: {error['read']} at {error['at']}, p {error['p']}{note}", markup=False
            )
    show_precision("photographs", figures["int8"], console)


def without_label_errors(sums: Figures) -> str:
    """Silent errors that are no known mistake of a label, and their bound."""
    return f"{number(sums['wrong_without_label_errors'])} ({percent(sums['bound_without_label_errors'], 2)})"


def show_hands(sources: dict[str, Figures], title: str, console: Console) -> None:
    """Hands as a whole, where they are known."""
    words = ("hands", "exact", "flagged", "false", "short", "order")
    known = {source: sums for source, sums in sources.items() if sums.get("hands")}
    rows = ((source, *(number(sums.get(word, 0)) for word in words)) for source, sums in known.items())
    columns = ("", "hands", "exact", "flagged", "silently: false card", "card missing", "order or group")
    if known:
        console.print(grid(title, columns, rows))


def show_precision(where: str, figures: Figures, console: Console) -> None:
    """int8 beside float32."""
    console.print(
        f"int8 beside float32 on {where}: {number(figures['accepted'])} accepted, "
        f"{number(figures['same'])} named alike, probabilities at most {max(figures['furthest_apart'])} apart"
    )
    for difference in figures["differences"]:
        console.print(str(difference), markup=False)


def show_stress(figures: Figures, console: Console) -> None:
    """Crops, tables as dealt, cards thrown; each by height and by fault."""
    crops = figures["crops"]
    if figures["share"] < 1:
        console.print(f"{percent(figures['share'])} of the drawn run is done; the same command goes on.")
    console.print(
        f"Drawn crops: {number(crops['offered'])} of {number(crops['indices'])} drawn indices in "
        f"{number(crops['scenes'])} scenes, under each fault in "
        f"{crops['frames_an_index_and_fault']} shaken frames"
    )
    show_rates(crops, "offered", console)
    rows = (_rate_row(name, cell, "offered") for name, cell in crops["in_all"].items())
    console.print(grid("Crops in all", ("", *RATES), rows))
    for kind, words in (
        ("dealt", "Full 1080p tables as dealers lay them"),
        ("thrown", "Cards thrown over each other"),
    ):
        tables = figures[kind]
        console.print(
            f"{words}: {number(tables['tables'])} pictures, {number(tables['sums'].get('cards'))} cards"
        )
        show_rates(tables, "readable", console)
        show_hands({kind: tables["sums"]}, "Hands", console)
        for error in tables["errors"][:LISTED]:
            console.print(str(error), markup=False)
    show_precision("dealt tables", figures["dealt"]["int8"], console)


RATES: Final = ("readable", "read of these", "accepted", "silently wrong", "per million", "bound 95 %")
LISTED: Final = 20
"""Silent errors that are printed; the JSON has all."""


def _rate_row(name: str, cell: Figures, offered: str) -> Cells:
    wrong = cell.get("wrong", 0) + cell.get("twice", 0)
    accepted = cell.get("accepted", cell.get("right", 0) + wrong)
    return (
        name,
        number(cell.get(offered, 0)),
        percent(cell["coverage"]),
        number(accepted),
        number(wrong),
        number(cell["silent_per_million"]),
        number(cell["bound_per_million"]),
    )


def show_rates(figures: Figures, offered: str, console: Console) -> None:
    """Silent errors by index height and by fault."""
    for key, title in (("by_height", "index height px"), ("by_fault", "fault")):
        rows = (_rate_row(name, cell, offered) for name, cell in figures[key].items())
        console.print(grid("", (title, *RATES), rows))


def show_time(figures: Figures, console: Console) -> None:
    """Milliseconds, ratio, memory."""
    full, fresh = figures["full_1080p"], figures["fresh_process"]
    named = {
        "full 1080p picture, 25 changed cards": full["reader"],
        "the same table in 4K": figures["full_4k"],
        "1080p frames of a watched table, all": figures["watched"]["all"],
        "of these, nothing to read": figures["watched"]["looked"],
        "of these, something to read": figures["watched"]["read"],
        f"network of YOLO11n's size at {'x'.join(map(str, full['rival']['size']))}": full["rival"],
    }
    rows = (
        (name, *(number(cell[key]) for key in ("times", "p50_ms", "p95_ms", "least_ms")))
        for name, cell in named.items()
    )
    title = f"Time, {figures['threads']} threads"
    console.print(grid(title, ("", "times", "median ms", "p95 ms", "least ms"), rows))
    console.print(f"That network takes {full['rival_beside_reader']} times as long as the reader (medians).")
    console.print(
        f"A fresh process: {fresh['start_to_first_read_s']} s from its start to the first read, "
        f"{fresh['peak_mib']} MiB at most"
    )


def show_model(figures: Figures, console: Console) -> None:
    """Refusals of changed files."""
    for name, code in figures["changed_file"].items():
        console.print(f"{name} with one byte changed: {code or 'NOT REFUSED'}")


def show_garbage(figures: Figures, console: Console) -> None:
    """One row a file."""
    rows = [(name, sentence) for name, sentence in figures["refused"].items()]
    rows += [(name, "read: " + (" ".join(cards) or "no cards")) for name, cards in figures["read"].items()]
    rows += [(name, "NOTHING SAID") for name in figures["unnamed"]]
    table = Table(
        title=f"Garbage: {figures['files']} files, exit status {figures['exit_status']}", title_justify="left"
    )
    for column in ("file", "what is said"):
        table.add_column(column)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for line in figures["other_lines"]:
        console.print(f"also said: {line}", markup=False)


PASSED: Final = {
    **{name: name for name in ("cards", "right", "wrong", "unread", "doubled")},
    "doubled_in_silence": "silently",
    "lost": "lost",
    "lost_in_silence": "silently",
    "pushed_back": "put back",
    "asked": "asked",
}
"""What is counted of the cards past a shoe's mouth, and the heads of its columns."""


def show_mouth(figures: Figures, console: Console) -> None:
    """One row for each way in which cards pass a shoe's mouth."""
    rows = (
        (manner, *(number(row.get(name, 0)) for name in PASSED), percent(row["bound"], 2))
        for manner, row in figures["manners"].items()
    )
    title = f"Cards past a shoe's mouth, {number(figures['fps'])} pictures a second"
    console.print(grid(title, ("", *PASSED.values(), "bound 95 %"), rows))


PRINTERS: Final[dict[str, Callable[[Any, Console], None]]] = {
    "photographs": show_photographs,
    "mouth": show_mouth,
    "stress": show_stress,
    "time": show_time,
    "model": show_model,
    "garbage": show_garbage,
}
