"""The lists of components (SBOM) of a release name what the locks pin, each with the hashes of its files."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

pytestmark = pytest.mark.night

ROOT: Final = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sbom")
    subprocess.run(["make", "--silent", "sbom", f"SBOM={folder}"], cwd=ROOT, check=True)
    return folder


def components(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    listed = json.loads(path.read_text(encoding="utf-8"))
    assert listed["bomFormat"] == "CycloneDX"
    return {(one["name"], one["version"]): one for one in listed["components"]}


def test_each_package_of_a_table_is_listed_with_its_hashes(made: Path) -> None:
    lock = (ROOT / "requirements/run.txt").read_text(encoding="utf-8")
    pinned = dict.fromkeys(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, re.MULTILINE))
    found = components(made / "stand17.cdx.json")
    assert found.keys() == pinned.keys()
    hashes = set(re.findall(r"--hash=sha256:([0-9a-f]{64})", lock))
    told = {
        one["content"]
        for component in found.values()
        for place in component.get("externalReferences", ())
        for one in place.get("hashes", ())
    }
    assert told == hashes


def test_what_goes_into_the_page_is_told_from_what_builds_it(made: Path) -> None:
    scopes = {name: one["scope"] for (name, _), one in components(made / "stand17-page.cdx.json").items()}
    assert (scopes["preact"], scopes["uplot"], scopes["vite"]) == ("required", "required", "optional")
