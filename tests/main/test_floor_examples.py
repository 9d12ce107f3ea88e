"""Rules and panels of examples/floor: each metric that they name is one that a table exports."""

import asyncio
import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from websockets.sync.client import connect

from controller.acts.catalogue import Bet, Close, Decision, End, Freeze, Reveal
from controller.runtime.api import Resume
from drivers.simulated import PtyShoe
from tests.main.copy_kit import cards
from tests.main.live_kit import Live, play

FLOOR: Final = Path(__file__).parents[2] / "examples" / "floor"
NAMED: Final = re.compile(r"\b(?:stand17_\w+|up)\b")

RULES: Final = {
    "type": "object",
    "required": ["groups"],
    "additionalProperties": False,
    "properties": {
        "groups": {
            "type": "array",
            "items": {
                "required": ["name", "rules"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string"},
                    "rules": {
                        "items": {
                            "required": ["alert", "expr", "labels", "annotations"],
                            "additionalProperties": False,
                            "properties": {
                                "alert": {"type": "string", "pattern": "^[A-Z][A-Za-z]+$"},
                                "expr": {"type": "string"},
                                "for": {"type": "string", "pattern": "^[0-9]+[smh]$"},
                                "labels": {"required": ["severity"]},
                                "annotations": {"required": ["summary"]},
                            },
                        }
                    },
                },
            },
        }
    },
}
"""What Prometheus takes in a file of rules, as far as ours use it."""


def _yaml(name: str) -> Any:
    return yaml.safe_load((FLOOR / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a table that has played a round, and was held once, exports."""
    folder, scraped = tmp_path_factory.mktemp("metered"), list[str]()

    async def story(live: Live) -> None:
        screen = await asyncio.to_thread(
            connect, f"{live.page}/ws".replace("http", "ws"), additional_headers=live.looking, legacy=True
        )
        await live.say(Bet(1, 0, 1000), Close(), *cards("10", "9", "7", "8"))
        await live.say(Decision(1, 1, "stand"), Reveal(), End())
        await live.say(Freeze("p7", "x"))
        await live.ask(Resume(("FROZEN",)))
        seq = live.now.seq
        while f'"seq":{seq},' not in await asyncio.to_thread(screen.recv, 30):
            pass
        scraped.append(await asyncio.to_thread(_metrics, live))
        await asyncio.to_thread(screen.close)

    shoe = PtyShoe()
    try:
        recording = {"enabled": True, "reserve_mb": 0}
        play(folder, story, {"port": shoe.port}, recording=recording)
    finally:
        shoe.close()
    return scraped[0]


def _metrics(live: Live) -> str:
    request = urllib.request.Request(f"{live.page}/metrics", headers=live.looking)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read().decode())


def test_every_metric_of_rules_and_panels_is_exported(exported: str) -> None:
    # Not above: its grammars take two seconds of every worker.
    import jsonschema  # noqa: PLC0415 - see the comment

    known = {line.partition(" ")[0].partition("{")[0] for line in exported.splitlines() if line[:1] != "#"}
    rules = _yaml("prometheus/alerts.yml")
    jsonschema.validate(rules, RULES)
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in alerts}) == len(alerts)
    board = json.loads((FLOOR / "grafana/dashboards/floor.json").read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"] if "expr" in target]
    named = {name for text in (*asked, *(rule["expr"] for rule in alerts)) for name in NAMED.findall(text)}
    assert len(named) > 10
    assert named - known == {"up"}


def test_a_page_is_provisioned_with_sources_that_are_there() -> None:
    board = json.loads((FLOOR / "grafana/dashboards/floor.json").read_text(encoding="utf-8"))
    sources = {
        one["uid"]: one["type"]
        for one in _yaml("grafana/provisioning/datasources/stand17.yml")["datasources"]
    }
    for panel in board["panels"]:
        for place in (panel, *panel["targets"]):
            assert sources[place["datasource"]["uid"]] == place["datasource"]["type"], panel["title"]
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    (provider,) = _yaml("grafana/provisioning/dashboards/stand17.yml")["providers"]
    services = _yaml("compose.yml")["services"]
    mounted = {one.split(":")[1] for service in services.values() for one in service["volumes"]}
    assert provider["options"]["path"] in mounted
    here = [one.split(":")[0] for service in services.values() for one in service["volumes"] if one[0] == "."]
    assert [one for one in here if not (FLOOR / one).exists()] == []


@pytest.mark.night
def test_a_floor_of_simulated_tables_is_archived_whole() -> None:
    command = [sys.executable, "-m", "tools.floor_demo", "--tables", "2", "--seconds", "40"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"BJ1", "BJ2"} <= set(re.findall(r": (BJ\d), ", done.stdout))


def test_a_table_measures_how_long_things_take(exported: str) -> None:
    assert 'stand17_hold_seconds_count{code="FROZEN"} 1.0' in exported
    for name in ("commit", "screen"):
        assert re.search(rf"stand17_{name}_seconds_count [1-9]", exported), exported
    assert 'stand17_durable_seconds_count{source="shoe"}' in exported
