"""A folder of feeds and recordings as tests of a house's own rule file, profile or camera.

`pytest --stand17 FOLDER`, or `stand17 = FOLDER` in pytest's settings; without either nothing is collected.
Each feed with an expectation (`NAME.expect.jsonl`) and each recording is a test. The modules that play them
are imported by the first test.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest_plugins = ("stand17.pytest_plugin",)
"""The fixtures on the same folder; pytest loads them by their name."""

OPTION = "stand17"
HELP = "Feeds with expectations and recordings in this folder are tests."
RULES = "stand17_rules"
RULES_HELP = "Play those feeds by this rule file, or a shipped house."
TABLE = "stand17_table"
TABLE_HELP = "Play those feeds through a live table's door, so that holds count against an expectation, too."


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--stand17` and its options to the command line and to pytest's settings."""
    group = parser.getgroup(OPTION, "stand17: feeds and recordings as tests")
    group.addoption(f"--{OPTION}", metavar="FOLDER", default=None, help=HELP)
    group.addoption("--stand17-rules", metavar="FILE", default=None, help=RULES_HELP)
    group.addoption("--stand17-table", action="store_true", default=False, help=TABLE_HELP)
    parser.addini(OPTION, HELP, default="")
    parser.addini(RULES, RULES_HELP, default="")
    parser.addini(TABLE, TABLE_HELP, type="bool", default=False)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "RecordedFile | None":
    """Collect a feed or a recording of the folder that is named."""
    folder = _folder(parent.config)
    if folder is None or folder not in file_path.resolve().parents or not _is_case(file_path):
        return None
    return RecordedFile.from_parent(parent, path=file_path)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Collect the folder alone, where nothing else is named on the command line."""
    known = early_config.known_args_namespace
    if known.stand17 is not None and not known.file_or_dir:
        args.append(known.stand17)


def _folder(config: pytest.Config) -> Path | None:
    named = config.getoption(OPTION)
    if named:
        return Path(named).resolve()
    kept = str(config.getini(OPTION))
    return (config.rootpath / kept).resolve() if kept else None


def _is_case(path: Path) -> bool:
    """Whether a file is a recording, or a feed with an expectation."""
    if path.name.endswith(".mcap"):
        return True
    feed = path.name.removesuffix(".gz")
    return feed.endswith(".feed.jsonl") and _expectation(path).is_file()


def _expectation(feed: Path) -> Path:
    return feed.with_name(feed.name.removesuffix(".gz").removesuffix(".feed.jsonl") + ".expect.jsonl")


class RecordedFile(pytest.File):
    """A feed or a recording: one test."""

    def collect(self) -> Iterator["RecordedTest"]:
        """The test of this file."""
        yield RecordedTest.from_parent(self, name=self.path.name.partition(".")[0])


class RecordedTest(pytest.Item):
    """Plays the file; fails with its differences from the expectation."""

    def runtest(self) -> None:
        """Play the file; the failure is its differences, a sentence each."""
        from controller.replay.kept_cases import case_faults  # noqa: PLC0415 - see the top

        expect = None if self.path.name.endswith(".mcap") else _expectation(self.path)
        rules = self.config.getoption("--stand17-rules") or _ruled(self.config)
        table = bool(self.config.getoption("--stand17-table") or self.config.getini(TABLE))
        faults = case_faults(str(self.path), expect, rules=rules, table=table)
        if faults:
            pytest.fail("\n".join(faults), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Name the file as it stands in the folder."""
        return self.path, 0, self.path.name


def _ruled(config: pytest.Config) -> str | None:
    """The rule file of the settings, relative to them; a house by its name."""
    named = str(config.getini(RULES))
    if not named:
        return None
    file = config.rootpath / named
    return str(file) if file.is_file() else named
