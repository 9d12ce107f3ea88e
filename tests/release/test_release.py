"""What `make release-check` refuses: a changelog without a day, a lock without hashes, a wheel with a gap."""

from datetime import date
from pathlib import Path
from zipfile import ZipFile

import pytest

from controller.software import commit_of
from tests.release.wheel_check.declared import check_changelog
from tests.release.wheel_check.speed import require_speed
from tests.release.wheel_check.wheel_content import check_content, check_names
from tools.compile import ROOT
from tools.release import ReleaseProblem, declared_version
from tools.wheel import build, wheels

TODAY = date(2026, 11, 22)
DATED = "# Changes\n\n## [1.2.0] - 2026-11-22\n\n- New.\n"


@pytest.fixture(scope="module")
def pure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("pure", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def version() -> str:
    return declared_version()


@pytest.mark.parametrize("text", [DATED, DATED.replace("[", "").replace("]", "")])
def test_a_dated_changelog_of_the_version_is_taken(text: str) -> None:
    check_changelog(text, "1.2.0", TODAY)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Changes\n", "no section"),
        (DATED.replace("1.2.0", "1.1.0"), "begins with 1.1.0"),
        (DATED.replace("## ", "## Unreleased\n\n- Newer.\n\n## ", 1), "begins with Unreleased"),
        (DATED.replace(" - 2026-11-22", ""), "no day"),
        (DATED.replace("11-22", "11-23"), "still to come"),
        (DATED.replace("11-22", "13-22"), "is no day"),
    ],
)
def test_another_changelog_is_refused(text: str, said: str) -> None:
    with pytest.raises(ReleaseProblem, match=said):
        check_changelog(text, "1.2.0", TODAY)


def test_a_wheel_of_these_sources_holds_what_it_should(pure: Path, version: str) -> None:
    assert pure.name == f"stand17-{version}-py3-none-any.whl"
    check_content(pure, "pure", version)


def test_a_wheel_says_which_commit_it_was_built_from(pure: Path, tmp_path: Path) -> None:
    with ZipFile(pure) as archive:
        archive.extractall(tmp_path)
    assert commit_of(tmp_path) == commit_of(ROOT)
    assert len(commit_of(tmp_path).removesuffix("-dirty")) == 40


def test_a_second_build_gives_the_same_bytes(pure: Path, tmp_path: Path) -> None:
    assert build("pure", tmp_path).read_bytes() == pure.read_bytes()


@pytest.mark.night
@pytest.mark.timeout(3600)
def test_a_second_compilation_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (wheels(tmp_path / name)["compiled"] for name in ("first", "second"))
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    "name",
    [
        "controller/i18n/de.json",
        "controller/rules/fr.toml",
        "vision/model/index/model.onnx",
        "controller/web/static/index.html",
        "stand17-{version}.dist-info/licenses/LICENSE",
    ],
)
def test_a_wheel_without_a_part_is_refused(pure: Path, version: str, name: str) -> None:
    with ZipFile(pure) as archive:
        names = set(archive.namelist())
    missing = name.format(version=version)
    assert missing in names
    with pytest.raises(ReleaseProblem, match=missing):
        check_names(sorted(names - {missing}), "pure", version)


@pytest.mark.parametrize(
    "name",
    [
        "tests/test_a.py",
        "controller/test_a.py",
        "controller/web/frontend/src/main.tsx",
        "controller/__pycache__/domain.cpython-311.pyc",
        "vision/native/_kernel.so",
        "models/net.py",
        "setup.py",
    ],
)
def test_a_pure_wheel_with_more_than_its_sources_is_refused(pure: Path, version: str, name: str) -> None:
    with ZipFile(pure) as archive:
        names = archive.namelist()
    with pytest.raises(ReleaseProblem, match=name.rpartition("/")[2]):
        check_names([*names, name], "pure", version)


def test_a_pure_wheel_is_no_compiled_one(pure: Path, version: str) -> None:
    with ZipFile(pure) as archive:
        names = archive.namelist()
    with pytest.raises(ReleaseProblem, match="Not compiled: "):
        check_names(names, "compiled", version)


def test_a_wheel_that_names_a_folder_of_this_machine_is_refused(
    pure: Path, version: str, tmp_path: Path
) -> None:
    leaking = tmp_path / pure.name
    leaking.write_bytes(pure.read_bytes())
    with ZipFile(leaking, "a") as archive:
        archive.writestr("controller/built_in.txt", f"compiled in {ROOT}/build")
    with pytest.raises(ReleaseProblem, match="built_in"):
        check_content(leaking, "pure", version)


def test_a_ratio_below_the_promise_is_refused_with_the_load() -> None:
    good, bad = {"median": 1.2, "at_least": 1.0}, {"median": 5.9, "at_least": 6.0}
    require_speed({"engine": good, "reader": good, "load": [0.1, 0.2]})
    with pytest.raises(ReleaseProblem, match=r"reader: 5\.9 .* load \[7\.5, 8\.0\]"):
        require_speed({"engine": good, "reader": bad, "load": [7.5, 8.0]})
