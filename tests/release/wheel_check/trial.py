"""What everybody does first with an installed table, done in a bare environment."""

import json
import re
from inspect import getsource
from pathlib import Path

from tools.release import BareEnvironment, require

CARDS = [["9", "h"], ["A", "s"], ["4", "c"]]


def draw(cards: list[list[str]]) -> None:
    """Draw these cards at a box, in drawn.png. Its text runs in the bare environment."""
    import cv2  # noqa: PLC0415 - of the environment

    from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene  # noqa: PLC0415

    hand = TableHand(3, 1, tuple(TableCard(rank, suit) for rank, suit in cards))
    cv2.imwrite("drawn.png", render_frame(table_scene(DrawnTableView((hand,)), 1), 1))


DRAW = f"{getsource(draw)}\ndraw({CARDS})\n"

FEED = "demo.feed.jsonl"
SLOWER = "Engine: from its Python sources, several times slower."
UNREAD = "Card reader: not compiled, no card can be read from pictures."
NOT_COMPILED = '"event": "not compiled"'


def try_version(environment: BareEnvironment, form: str, version: str) -> list[str]:
    """The lines of `stand17 --version`; they have to say which form it is."""
    lines = environment.run("stand17", "--version").stdout.splitlines()
    require(lines[:1] == [f"stand17 {version}"], f"stand17 --version says {lines}.")
    pure = lines[1:3] == [SLOWER, UNREAD]
    require(pure == (form == "pure"), f"stand17 --version of the {form} wheel says {lines}.")
    return lines


def try_software(environment: BareEnvironment, public: str) -> None:
    """Check the installed files against the key that has signed them."""
    told = environment.run("stand17", "verify", "--software", "--key", public, "--json").stdout
    report = json.loads(told)
    require(report["ok"] and report["state"] == "released", f"stand17 verify --software says {report}.")


def try_demo(environment: BareEnvironment, form: str) -> None:
    """Deal two rounds, check their journal, and replay their feed, which is left in FEED."""
    dealing = ("--headless", "--seed", "3", "--port", "0", "--speed", "0", "--rounds", "2", "--keep", "kept")
    dealt = environment.run("stand17", "demo", *dealing)
    said = NOT_COMPILED in dealt.stderr
    require(said == (form == "pure"), f"At its start the {form} wheel says:\n{dealt.stderr}")
    environment.run("stand17", "verify", "kept/demo.journal")
    environment.run("stand17", "feed", "kept/demo.journal", "--out", FEED)
    expected = next(environment.work.glob("demo*.expect*"))
    environment.run("stand17", "replay", "--strict", FEED, "--expect", expected.name)
    told = environment.run("stand17", "replay", "--strict", FEED).stdout
    require(bool(re.search(r"^2 rounds: 2 settled", told, re.M)), f"The replay says:\n{told}")


def replayed(environment: BareEnvironment, feed: Path) -> str:
    """What the replay of a feed gives, as JSON."""
    return environment.run("stand17", "replay", "--strict", "--json", str(feed)).stdout


def try_reading(environment: BareEnvironment) -> None:
    """Read a drawn picture: its cards, and nothing unclear."""
    environment.run("python", "-c", DRAW)
    read = json.loads(environment.run("stand17", "read", "--json", "drawn.png").stdout)
    found = [[card["rank"], card["suit"]] for card in read["cards"]]
    require(found == CARDS and not read["unclear"], f"stand17 read says {read}.")
