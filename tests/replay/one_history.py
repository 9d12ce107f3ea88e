"""One shift's journal through every command: `python -m tests.replay.one_history FIRST END DONE`.

`DONE` is a file of the seeds that are played already, so that a stopped run goes on where it was.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from controller.feed.replay import Json
from controller.journal.entry import Body, Entry, body_of
from controller.journal.store import JournalReader
from controller.replay.table_file import read_table_file
from controller.studio.studio_file import StudioFile
from tests.replay.random_shift import RandomShift, ShiftTruth
from tests.replay.replay_kit import call, objects

ROUNDS = 5
MONEY_COLUMNS = ("status", "staked_minor", "returned_minor")


def differences(folder: Path, seed: int, rounds: int = ROUNDS) -> Iterator[str]:
    """What any command tells otherwise than the table had it."""
    journal = folder / "t.journal"
    truth = RandomShift(journal, seed, rounds).truth
    if not truth.restored:
        yield "a restart comes to another table"
    written = bodies(journal)
    yield from verified(journal, truth)
    yield from replayed(journal, truth, written)
    yield from listed(journal, truth)
    yield from tabled(folder, journal, truth)
    yield from stepped(journal, truth)
    yield from exported(folder, journal, truth, seed)
    same = call("diff", journal, journal, "--json")
    if same.returncode:
        yield f"diff of a journal with itself: {same.stdout[:400]} {same.stderr}"


def bodies(journal: Path) -> list[tuple[str, Body]]:
    reader = JournalReader(journal)
    found = [(entry.kind, body_of(entry)) for entry in reader.read() if isinstance(entry, Entry)]
    reader.close()
    return found


def verified(journal: Path, truth: ShiftTruth) -> Iterator[str]:
    said = call("verify", journal, "--json")
    (told,) = objects(said)
    if said.returncode or told["rounds"] != truth.last_round:
        yield f"verify: {said}, the table began {truth.last_round} rounds"


def replayed(journal: Path, truth: ShiftTruth, written: list[tuple[str, Body]]) -> Iterator[str]:
    said = call("replay", journal, "--json")
    lines = objects(said)
    if said.returncode:
        yield f"replay: {said.returncode} {said.stderr}"
    last = {line["round"]: bare(line) for line in lines if line["type"] == "round"}
    for number, result in truth.rounds.items():
        if last.get(number) != bare(result):
            yield f"replay, round {number}: {last.get(number)} instead of {result}"
    wanted = {
        "hold": [body["code"] for kind, body in written if kind == "held"],
        "alert": [body["code"] for kind, body in written if kind in ("alert", "trouble")],
        "adjustment": [body["round"] for kind, body in written if kind == "adjusted"],
        "dispute": [body["code"] for kind, body in written if kind == "disputed"],
        "refused": [body["code"] for kind, body in written if kind == "refused"],
    }
    for kind, codes in wanted.items():
        found = [line.get("code", line.get("round")) for line in lines if line["type"] == kind]
        if found != codes:
            yield f"replay, {kind}: {found} instead of {codes}"
    seen = [line["code"] for line in lines if line["type"] == "alert"]
    if any(code not in seen for code in truth.alerts):
        yield f"replay, alerts: {seen} without one of {truth.alerts}"


def bare(line: Json) -> Json:
    """A round as every command tells it; of a disputed one nothing is paid."""
    wanted = ("round", "status", "bets", "settle_order", "bonuses")
    return {key: line[key] for key in wanted if line["status"] != "disputed" or key in ("round", "status")}


def listed(journal: Path, truth: ShiftTruth) -> Iterator[str]:
    for number in range(1, truth.last_round + 1):
        said = call("show", journal, "--round", str(number), "--json")
        if said.returncode:
            yield f"show --round {number}: {said.stderr}"
            continue
        (told,) = objects(said)
        yield from unlike(f"show --round {number}", told, truth.rounds.get(number))


def unlike(where: str, told: Json, result: Json | None) -> Iterator[str]:
    money = sorted((bet["box"], bet["seat"], bet["staked"], bet["returned"]) for bet in told["money"])
    wanted = (
        []
        if result is None
        else sorted((bet["box"], bet["seat"], bet["staked"], bet["returned"]) for bet in result["bets"])
    )
    status = "open" if result is None else result["status"]
    if status == "disputed":
        money = wanted
    if result is not None and (told["status"], money) != (status, wanted):
        yield f"{where}: {told['status']} {money} instead of {status} {wanted}"


def tabled(folder: Path, journal: Path, truth: ShiftTruth) -> Iterator[str]:
    out = folder / "rounds.csv"
    said = call("table", journal, "-o", out)
    if said.returncode:
        yield f"table: {said.stderr}"
        return
    head, *rows = [row.split(",") for row in out.read_text().splitlines()]
    out.unlink()
    found = {int(row[head.index("round")]): row for row in rows}
    for number, result in truth.rounds.items():
        staked = str(sum(bet["staked"] for bet in result["bets"]))
        returned = str(sum(bet["returned"] for bet in result["bets"]))
        row = found.get(number, [""] * len(head))
        told = [row[head.index(name)] for name in MONEY_COLUMNS]
        if told[0] != result["status"] or (told[0] != "disputed" and told[1:] != [staked, returned]):
            yield f"table, round {number}: {told} instead of {result['status']} {staked} {returned}"


def stepped(journal: Path, truth: ShiftTruth) -> Iterator[str]:
    told = read_table_file(str(journal))
    file = StudioFile(told, at_table=told.at_table)
    numbers = {step.round for step in file.steps}
    missing = [number for number in range(1, truth.last_round + 1) if number not in numbers]
    if missing:
        yield f"studio: rounds {missing} cannot be stepped"


def exported(folder: Path, journal: Path, truth: ShiftTruth, seed: int) -> Iterator[str]:
    if not truth.rounds:
        return
    number = sorted(truth.rounds)[seed % len(truth.rounds)]
    out = folder / "round.mcap"
    said = call("export", str(number), "--journal", journal, "--out", out)
    if said.returncode:
        yield f"export {number}: {said.stdout} {said.stderr}"
        return
    played = [line for line in objects(call("replay", out, "--json")) if line["type"] == "round"]
    last = next((bare(line) for line in reversed(played) if line["round"] == number), None)
    # Of a ruling made after the round the cut knows nothing.
    mine = [(kind, body) for kind, body in bodies(journal) if body.get("round") == number]
    settled = [bare(body) for kind, body in mine if kind == "settled"]
    settled += [{"round": number, "status": "disputed"} for kind, _ in mine if kind == "disputed"]
    if settled and last not in settled:
        yield f"exported round {number}: {last}, which the table had at no time"
    shown = call("show", out, "--round", str(number), "--json")
    if shown.returncode:
        yield f"show of the exported round {number}: {shown.stderr}"
    out.unlink()


def main() -> None:
    """Play the seeds that are not played yet; exit status 1 where something was told otherwise."""
    first, end, done = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    known = set(done.read_text().split()) if done.exists() else set()
    wrong = 0
    for seed in range(first, end):
        if str(seed) in known:
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = list(differences(Path(folder), seed))
        for one in found:
            sys.stdout.write(f"seed {seed}: {one[:600]}\n")
            sys.stdout.flush()
        wrong += bool(found)
        if not found:
            with done.open("a") as stream:
                stream.write(f"{seed}\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
