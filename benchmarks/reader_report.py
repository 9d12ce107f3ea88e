"""The report of `stand17 bench reader`: its conditions, and its text as Markdown.

`python -m benchmarks.reader_report REPORT.json` writes a report into docs/measurements/reader.md.
"""

import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from vision.inference import default_models_dir

WORDS: Final = {"dealt": "as dealers lay them, full 1080p tables", "thrown": "thrown over each other"}
PASSED: Final = {
    **{name: name for name in ("cards", "right", "wrong", "unread", "doubled")},
    "doubled_in_silence": "silently",
    "lost": "lost",
    "lost_in_silence": "silently",
    "pushed_back": "put back",
    "asked": "asked",
}
"""What is counted of the cards past a shoe's mouth, and the heads of its columns."""


def table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    """Lines of a Markdown table."""
    names = list(columns)
    head = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    return [*head, *(f"| {' | '.join(str(cell) for cell in row)} |" for row in rows), ""]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def photographs(part: dict[str, Any] | None) -> list[str]:
    """Return one row a source, and the known mistakes of labels."""
    if part is None:
        return ["None given (--cards FOLDER).", ""]
    names = ("pictures", "cards", "right", "wrong", "suit_errors", "unclear", "missed")
    lines = table(
        ("source", *(name.replace("_", " ") for name in names), "bound 95 %", "without label errors"),
        (
            [
                source,
                *(_number(sums.get(name, 0)) for name in names),
                f"{sums['bound']:.2%}",
                f"{sums['wrong_without_label_errors']} ({sums['bound_without_label_errors']:.2%})",
            ]
            for source, sums in part["sources"].items()
        ),
    )
    for source, sums in part["sources"].items():
        if sums.get("hands"):
            said = ", ".join(f"{sums.get(word, 0)} {words}" for word, words in HANDS.items())
            lines += [f"Hands of {source}: {sums['hands']}; {said}.", ""]
        for error in sums["errors"]:
            why = error.get("label_error", "no mistake of the label")
            lines += [f"- `{error['file']}`: read {error['read']}; {why}"]
    return [*lines, ""]


HANDS: Final = {
    "exact": "exact and in order",
    "flagged": "flagged (something in it unclear)",
    "false": "silently with a false card",
    "short": "silently without one of their cards",
    "order": "silently in another order or split",
}


def rates(part: dict[str, Any], key: str, offered: str, title: str) -> list[str]:
    """Coverage and silent errors by index height or by fault."""
    columns = (title, "readable", "read of these", "accepted", "silently wrong", "per million", "bound 95 %")
    rows = []
    for name, cell in part[key].items():
        wrong = cell.get("wrong", 0) + cell.get("twice", 0)
        accepted = cell.get("accepted", cell.get("right", 0) + wrong)
        rate, bound = _number(cell["silent_per_million"]), _number(cell["bound_per_million"])
        counts = _number(cell.get(offered, 0)), _share(cell["coverage"]), _number(accepted), _number(wrong)
        rows.append([name, *counts, rate, bound])
    return table(columns, rows)


def stress(part: dict[str, Any]) -> list[str]:
    """Crops, dealt tables, thrown cards."""
    crops = part["crops"]
    half = crops["in_all"].get("half", {})
    part_of_it = [] if part["share"] == 1 else [f"({part['share']:.0%} of a full run.)", ""]
    art = "drawn and art decks" if part["art"] else "drawn decks"
    lines = [
        *part_of_it,
        f"Crops: {_number(crops['offered'])} from {_number(crops['indices'])} drawn indices in "
        f"{_number(crops['scenes'])} scenes ({art} that training never saw), each index under "
        f"{len(crops['by_fault'])} faults in {crops['frames_an_index_and_fault']} shaken frames, and as many "
        "upside down or half beside, which must be refused. Crops of one index are not independent.",
        "",
        *rates(crops, "by_height", "offered", "index height px"),
        f"By fault, index {crops['by_fault_from_px']} px and more:",
        "",
        *rates(crops, "by_fault", "offered", "fault"),
        f"Of {_number(half.get('offered', 0))} crops of indices that are partly hidden "
        f"{_number(half.get('accepted', 0))} were accepted, {_number(half.get('wrong', 0))} of them wrong.",
        "",
    ]
    for kind, words in WORDS.items():
        lines += _tables(part[kind], words)
    return lines


def _tables(part: dict[str, Any], words: str) -> list[str]:
    sums = part["sums"]
    lines = [
        f"Cards {words}: {_number(part['tables'])} pictures, {_number(sums.get('cards', 0))} cards face up, "
        f"{_number(sums.get('unclear', 0))} unclear spots.",
        "",
        *rates(part, "by_height", "readable", "index height px"),
    ]
    if sums.get("hands"):
        said = ", ".join(f"{_number(sums.get(word, 0))} {meaning}" for word, meaning in HANDS.items())
        lines += [f"Hands: {_number(sums['hands'])}; {said}.", ""]
        lines += rates(part, "by_fault", "readable", "fault")
    return lines


def mouth(part: dict[str, Any]) -> list[str]:
    """Return one row for each manner in which cards pass a shoe's mouth."""
    columns = ("", *PASSED.values(), "wrong, bound 95 %")
    rows = (
        [manner, *(_number(row.get(name, 0)) for name in PASSED), f"{row['bound']:.2%}"]
        for manner, row in part["manners"].items()
    )
    return table(columns, rows)


def times(part: dict[str, Any]) -> list[str]:
    """Milliseconds a picture, memory, start-up."""
    full, watched, fresh = part["full_1080p"], part["watched"], part["fresh_process"]
    size = "x".join(map(str, full["rival"]["size"]))
    named = {
        "full 1080p picture, 25 cards": full["reader"],
        "the same, with profile and card's size": full["recommended"],
        "the same table in 4K": part["full_4k"],
        "in 4K, with profile and card's size": part["full_4k_recommended"],
        "1080p frame of a watched table, all": watched["all"],
        "of these, nothing to read": watched["looked"],
        "of these, something to read": watched["read"],
        f"network of YOLO11n's size at {size}": full["rival"],
    }
    keys = ("times", "p50_ms", "p95_ms", "least_ms")
    rows = ([name, *(f"{cell[key]:,}" for key in keys)] for name, cell in named.items())
    return [
        *table((f"{part['threads']} threads", "times", "median ms", "p95 ms", "least ms"), rows),
        f"In the same run that network ({full['rival']['values']:,} values) takes "
        f"{full['rival_beside_reader']} times as long as the plain reading, "
        f"{full['rival_beside_recommended']} times as long as the recommended one. A fresh process: "
        f"{fresh['start_to_first_read_s']} s from its start to the first read, "
        f"{fresh['peak_mib']} MiB at most.",
        "",
    ]


SECTIONS: Final[dict[str, tuple[str, Callable[[Any], list[str]]]]] = {
    "photographs": ("### Photographs", photographs),
    "stress": ("### Drawn stress", stress),
    "mouth": ("### A camera at the shoe's mouth", mouth),
    "time": ("### Time and memory", times),
}


def text_of(report: dict[str, Any]) -> str:
    """Return all measured sections, with their data."""
    kind = "a full run" if report["full"] else "a sample, too small to prove a rate"
    models = ", ".join(f"{name} `{known['sha256'][:12]}`" for name, known in report["models"].items())
    lines = [
        f"`stand17 bench reader`, {kind}; networks {models}; {report['processors']} processors, load "
        f"{report['load']} at the start and {report['load_at_end']} at the end; onnxruntime "
        f"{report['onnxruntime']}, OpenCV {report['opencv']}.",
        "",
    ]
    for name, (title, lines_of) in SECTIONS.items():
        if name in report:
            lines += [title, "", *lines_of(report[name])]
    return "\n".join(lines)


def conditions() -> dict[str, Any]:
    """Model, versions, processor; `load` is the machine's load average over the last minute."""
    files = {path.parent.name: path.read_bytes() for path in _model_files(default_models_dir())}
    return {
        "models": {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            for name, data in files.items()
        },
        "python": platform.python_version(),
        "onnxruntime": version("onnxruntime"),
        "opencv": version("opencv-python-headless"),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def _model_files(folder: Path) -> list[Path]:
    """Return the networks in use, each in a folder of its own."""
    return sorted(path for path in folder.glob("*/model.onnx"))


BEGIN: Final = "<!-- measured: written by benchmarks.reader_report -->"
END: Final = "<!-- measured: end -->"


def main(
    report: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="From `--json`.")],
    docs: Annotated[Path, typer.Option(exists=True, file_okay=False)] = Path("docs"),
) -> None:
    """Replaces the measured part of the page."""
    measured = json.loads(report.read_text(encoding="utf-8"))
    page = docs / "measurements" / "reader.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise typer.BadParameter(f"{page} lacks the lines {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n{text_of(measured)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
