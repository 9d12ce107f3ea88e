"""A replay's report as JUnit XML, which build servers show."""

from pathlib import Path
from xml.etree import ElementTree

from controller.cli.replay_report import BatchReport, difference_words
from controller.domain.errors import ConfigError

SUITE = "stand17 replay"


def write_junit(report: BatchReport, path: Path) -> None:
    """Write one test case a file: failed where it differs, in error where it cannot be read.

    Raises `ConfigError` FILE_NOT_WRITTEN.
    """
    suite = ElementTree.Element("testsuite", name=SUITE, tests=str(len(report.files)))
    failures = errors = 0
    for file in report.files:
        where = Path(file.file)
        names = {"name": where.name, "classname": str(where.parent), "time": f"{file.seconds:.3f}"}
        case = ElementTree.SubElement(suite, "testcase", names)
        found = [difference_words(file, row) for row in report.differences(file)]
        if file.error:
            errors += 1
            ElementTree.SubElement(case, "error", message=file.error)
        elif found:
            failures += 1
            ElementTree.SubElement(case, "failure", message=found[0]).text = "\n".join(found)
    suite.set("failures", str(failures))
    suite.set("errors", str(errors))
    suite.set("time", f"{report.rate.seconds:.3f}")
    try:
        ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise ConfigError("FILE_NOT_WRITTEN", path=str(path), reason=error.strerror or str(error)) from error
