"""A replay's report as JUnit XML, which build servers show."""

from pathlib import Path
from xml.etree import ElementTree

from controller.cli.replay_report import BatchReport, difference_words
from controller.outputs import Outputs

SUITE = "stand17 replay"


def write_junit(report: BatchReport, path: Path, outputs: Outputs) -> None:
    """Write one test case a file: failed where it differs, in error where it cannot be read.

    Raises as `Outputs.write`.
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
    outputs.write(path, ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))
