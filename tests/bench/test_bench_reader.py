"""`stand17 bench reader`: its report holds what it promises, and a stopped run goes on."""

import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import pytest
from typer.testing import CliRunner

from benchmarks import reader_mouth, reader_stress, reader_timing
from benchmarks import reader_report as text_report
from controller.bench import card_reader as bench
from controller.cli.bench import app
from controller.domain import ConfigError
from tests.cli import bad_pictures

SCENES = {"crops": range(1), "dealt": range(1), "thrown": range(1)}


def run(*options: str) -> str:
    done = CliRunner().invoke(app, ["reader", *options])
    assert done.exit_code == 0, done.output
    return done.stdout


def photographs(folder: Path) -> Path:
    """Two drawn pictures; the label of one card is wrong."""
    images = folder / "photos" / "images"
    images.mkdir(parents=True)
    rows = []
    for number, rank in enumerate(("A", "K")):
        file = f"images/bjtable_{number}.png"
        cv2.imwrite(str(folder / "photos" / file), bad_pictures.frame())
        cards = [
            {"rank": name, "suit": suit, "bbox": None, "stack": slot, "order": 0}
            for slot, (name, suit) in enumerate(((rank, "s"), ("T", "h")))
        ]
        stacks = [{"bbox": [640, 900, 731, 1040]}, {"bbox": [735, 900, 850, 1040]}]
        rows.append({"file": file, "split": "test", "cards": cards, "stacks": stacks})
    (folder / "photos" / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


@pytest.mark.night
def test_photographs_are_counted_by_source(tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    text = run("--only", "photographs", "--cards", str(photographs(tmp_path / "cards")), "--json", str(out))
    part = json.loads(out.read_text())["photographs"]
    sums = part["sources"]["bjtable"]
    counted = {name: sums.get(name) for name in ("pictures", "cards", "right", "wrong", "missed", "hands")}
    assert counted == {"pictures": 2, "cards": 4, "right": 3, "wrong": 1, "missed": 1, "hands": 4}
    assert (sums["exact"], sums["false"]) == (3, 1)
    assert [error["read"] for error in sums["errors"]] == ["As"]
    assert sums["bound"] == pytest.approx(0.7514, abs=1e-3)
    assert sums["curve"][-1]["risk"] > 0
    assert "bjtable" in text
    assert "`images/bjtable_1.png`: read As" in text


def test_without_photographs_the_report_says_so() -> None:
    assert "None given" in run("--only", "photographs")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    for job in reader_stress.jobs_of(folder, None, SCENES):
        reader_stress.run_shard(job)
    return folder


@pytest.mark.night
def test_a_stopped_run_goes_on_and_comes_to_the_same(work: Path) -> None:
    jobs = reader_stress.jobs_of(work, None, SCENES)
    before = {kind: reader_stress.merged(jobs, kind) for kind in SCENES}
    lost, kept = jobs[2].path, jobs[0].path
    lost.unlink()
    lost.with_suffix(".part").write_text('{"half of it')
    written = kept.stat().st_mtime_ns
    heard: list[tuple[int, int]] = []
    reader_stress.run_all(jobs, 1, lambda done, total: heard.append((done, total)))
    assert heard[-1] == (3, 3)
    assert kept.stat().st_mtime_ns == written
    assert {kind: reader_stress.merged(jobs, kind) for kind in SCENES} == before


@pytest.mark.night
def test_a_run_that_may_not_last_reports_what_is_done(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(reader_stress.SIZES, "thrown", 1)
    scenes = {**SCENES, "thrown": range(3)}
    folder = tmp_path / reader_stress.run_key()
    shutil.copytree(work / reader_stress.run_key(), folder)
    short = reader_stress.measure(
        tmp_path, None, scenes, processes=1, tell=lambda _done, _total: None, seconds=0
    )
    assert (short["share"], short["thrown"]["tables"], short["crops"]["scenes"]) == (4 / 5, 2, 1)


@pytest.mark.night
def test_stress_figures_add_up(work: Path) -> None:
    jobs = reader_stress.jobs_of(work, None, SCENES)
    crops = reader_stress.report_of(reader_stress.merged(jobs, "crops"), "crops")
    by_height = sum(cell.get("offered", 0) for cell in crops["by_height"].values())
    assert by_height == crops["in_all"]["readable"]["offered"] > 500
    assert crops["indices"] * 30 < crops["offered"]
    dealt = reader_stress.report_of(reader_stress.merged(jobs, "dealt"), "dealt")
    assert dealt["in_all"]["coverage"] > 0.3
    assert sum(cell["tables"] for cell in dealt["by_fault"].values()) == 1
    words = ("exact", "flagged", "false", "short", "order")
    assert sum(dealt["sums"].get(word, 0) for word in words) == dealt["sums"]["hands"] >= 7


@pytest.mark.night
def test_another_reader_begins_anew(work: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    key = reader_stress.run_key()
    (tmp_path / "vision").mkdir()
    (tmp_path / "vision" / "reader.py").write_text("changed")
    monkeypatch.setattr(reader_stress, "ROOT", tmp_path)
    assert reader_stress.run_key() != key
    assert work.joinpath(key).is_dir()


@pytest.fixture(scope="module")
def report(work: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A whole report of the smallest run."""
    jobs = reader_stress.jobs_of(work, None, SCENES)
    out = tmp_path_factory.mktemp("report") / "r.json"
    run("--only", "photographs", "--json", str(out))
    figures = {kind: reader_stress.report_of(reader_stress.merged(jobs, kind), kind) for kind in SCENES}
    return {
        **json.loads(out.read_text()),
        "stress": {"art": False, "share": 0.5, **figures},
        "time": reader_timing.measure(1, 2, cards=2),
        "photographs": None,
    }


@pytest.mark.night
def test_times_stand_beside_the_rival_and_a_fresh_process_reads(report: dict[str, Any]) -> None:
    time = report["time"]
    full = time["full_1080p"]
    assert 0 < full["reader"]["p50_ms"] <= full["reader"]["p95_ms"]
    ratio = full["rival"]["p50_ms"] / full["reader"]["p50_ms"]
    assert full["rival_beside_reader"] == pytest.approx(ratio, abs=0.01)
    assert full["rival_beside_recommended"] > 0
    assert time["full_4k_recommended"]["times"] >= 2
    assert time["fresh_process"]["cards"] == 25
    assert 30 < time["fresh_process"]["peak_mib"] < 1000
    assert time["watched"]["read"]["times"] >= 2


@pytest.mark.night
def test_the_page_gets_its_tables_and_keeps_the_rest(report: dict[str, Any], tmp_path: Path) -> None:
    page = tmp_path / "measurements" / "reader.md"
    page.parent.mkdir()
    page.write_text(f"before\n{text_report.BEGIN}\nold\n{text_report.END}\nafter\n")
    source = tmp_path / "r.json"
    source.write_text(json.dumps(report))
    text_report.main(source, tmp_path)
    text = page.read_text()
    assert text.startswith(f"before\n{text_report.BEGIN}\n")
    assert text.endswith(f"{text_report.END}\nafter\n")
    assert "old" not in text
    assert f"{report['stress']['crops']['offered']:,}" in text
    assert "| sharpened |" in text
    assert "50% of a full run" in text


def test_cards_past_a_mouth_are_counted_and_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_mouth, "SHIFT", 2)
    monkeypatch.setitem(bench.PASSES, False, 10)
    text = run("--only", "mouth", "--json", str(tmp_path / "r.json"))
    found = json.loads((tmp_path / "r.json").read_text())["mouth"]
    assert found["passes"] == 2 * len(found["manners"])
    for row in found["manners"].values():
        assert (
            sum(row.get(name, 0) for name in ("right", "wrong", "unread", "doubled", "lost")) == row["cards"]
        )
    assert "| close behind each other | 2 |" in text


def test_an_unknown_section_and_a_missing_folder_are_refused_before_anything_is_measured() -> None:
    for options in (["--only", "speed"], ["--json", "/nowhere/r.json"], ["--cards", "/nowhere"]):
        done = CliRunner().invoke(app, ["reader", *options])
        assert done.exit_code == 2
        assert done.stdout == ""


def test_a_table_without_the_source_folder_says_what_is_missing() -> None:
    with pytest.raises(ConfigError, match="BENCH_RIVAL_MISSING"):
        bench.part("models_that_are_not_there.measure")
