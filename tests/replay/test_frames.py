"""`stand17 replay --table --frames`: a round whose cards come from pictures, and unusable folders."""

import json
from pathlib import Path
from typing import Any, Protocol

import pytest

from controller.cli import main
from tests.replay.frames_kit import Filmed, card, write_feed, write_layout
from vision.pictures import load_picture

BETS = (
    {"t": 0.2, "obs": "bet", "box": 3, "seat": 0, "stake": 1000},
    {"t": 0.4, "obs": "close"},
    {"t": 30.0, "obs": "card", "rank": "2", "suit": "c"},
    {"t": 30.0, "obs": "reveal", "rank": "2"},
)


class Replay(Protocol):
    """Calls the command; its exit status, its lines, what it complained of."""

    def __call__(self, *args: str | Path) -> tuple[int, list[dict[str, Any]], str]: ...


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Replay:
    def call(*args: str | Path) -> tuple[int, list[dict[str, Any]], str]:
        monkeypatch.setattr("sys.argv", ["stand17", "replay", "--table", "--json", *map(str, args)])
        with pytest.raises(SystemExit) as done:
            main()
        out, complaint = capsys.readouterr()
        code = done.value.code
        return (
            code if isinstance(code, int) else 0,
            [json.loads(line) for line in out.splitlines()],
            complaint,
        )

    return call


def of(kind: str, lines: list[dict[str, Any]], *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(line[field] for field in fields) for line in lines if line["type"] == kind]


def test_a_round_is_followed_from_its_pictures_without_a_key_but_the_bets(
    tmp_path: Path, replayed: Replay
) -> None:
    filmed = Filmed(tmp_path / "frames")
    for box, laid in ((3, card("8h")), (0, card("9c")), (3, card("8d"))):
        filmed.lay(box, 1, laid)
    filmed.lay(0, 1, card("7c", face="down"))
    filmed.hands[3, 2] = [filmed.hands[3, 1].pop()]
    filmed.film()
    filmed.lay(3, 1, card("2s"))
    filmed.lay(3, 1, card("Kd", across=True))
    filmed.lay(3, 2, card("10c"))
    filmed.hands[0, 1][1] = card("7c")
    filmed.film()
    filmed.lay(0, 1, card("4d"))
    filmed.hands = {}
    filmed.film(12)
    late = {"t": 40.0, "obs": "bet", "box": 3, "seat": 0, "stake": 500}
    feed = write_feed(tmp_path / "a.feed.jsonl", *BETS, late)

    code, lines, complaint = replayed(
        feed, "--frames", filmed.folder, "--layout", write_layout(tmp_path / "l.toml")
    )

    assert (code, complaint) == (0, "")
    assert of("card", lines, "rank", "suit", "box", "hand", "pose") == [
        ("8", "h", 3, 1, "along"),
        ("9", "c", 0, 1, "along"),
        ("8", "d", 3, 1, "along"),
        (None, None, 0, 1, "along"),
        ("2", "s", 3, 1, "along"),
        ("K", "d", 3, 1, "across"),
        ("10", "c", 3, 2, "along"),
        ("7", "c", 0, 1, "along"),
        ("4", "d", 0, 1, "along"),
    ]
    inferred = [("split", 3, 1), ("double", 3, 1), ("stand", 3, 2)]
    assert of("inferred", lines, "what", "box", "hand") == inferred
    tracks = of("card", lines, "face", "track", "t")
    down = next(track for face, track, _ in tracks if face == "down")
    assert [face for face, track, _ in tracks if track == down] == ["down", "up"]
    assert [t for _, _, t in tracks] == sorted(t for _, _, t in tracks)
    (settled, left) = [line for line in lines if line["type"] == "round"]
    assert (settled["status"], settled["dealer"]["cards"]) == ("settled", ["9", "7", "4"])
    assert [bet["returned"] for bet in settled["bets"]] == [2000]
    # The cleared table ended the round: the next bet belongs to another one.
    assert (left["round"], left["status"], lines[-1]["holds"]) == (2, "open", 0)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("nothing there", "frames"),
        ("no time", "table.jpg"),
        ("no boxes", "no box"),
        ("other size", "640 x 470"),
        ("other aspect", "calibrated at 640 x 960"),
    ],
)
def test_pictures_that_cannot_be_used_are_named(
    tmp_path: Path, replayed: Replay, spoil: str, said: str
) -> None:
    frames = tmp_path / "frames"
    if spoil != "nothing there":
        filmed = Filmed(frames)
        picture = frames / "table_0001000.jpg"
        if spoil == "no time":
            picture.rename(frames / "table.jpg")
        if spoil.startswith("other"):
            cut(filmed, 470)
        if spoil == "other aspect":
            for old in sorted(frames.iterdir())[:-1]:
                old.unlink()
    layout = write_layout(tmp_path / "l.toml", box=spoil != "no boxes")
    feed = write_feed(tmp_path / "a.feed.jsonl", *BETS)

    code, _, complaint = replayed(feed, "--frames", frames, "--layout", layout)

    assert code == 2
    assert said in complaint


def cut(filmed: Filmed, height: int) -> None:
    first = min(filmed.folder.iterdir())
    filmed.write(load_picture(first)[:height])


@pytest.mark.parametrize("options", [(), ("--layout", "l.toml", "--source", "shoe")])
def test_options_that_do_not_go_together_are_refused(
    tmp_path: Path, replayed: Replay, options: tuple[str, ...]
) -> None:
    feed = write_feed(tmp_path / "a.feed.jsonl", *BETS)
    code, lines, complaint = replayed(feed, "--frames", tmp_path, *options)
    assert (code, lines) == (2, [])
    assert "--layout" in complaint or "--source" in complaint
