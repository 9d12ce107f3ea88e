"""A replay's report as JUnit XML, which build servers show."""

import re
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from controller.cli.replay.reports.files_report import BatchReport, difference_words
from controller.outputs import Outputs

SUITE = "stand17 replay"

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold in any way: control characters of a file's name or of a message."""


def write_junit(report: BatchReport, path: Path, outputs: Outputs) -> None:
    """Write one test case a file: failed where it differs, in error where it cannot be read.

    Raises as `Outputs.write`.
    """
    suite = ElementTree.Element("testsuite", name=SUITE, tests=str(len(report.files)))
    failures = errors = 0
    for file in report.files:
        where = Path(file.file)
        names = {"name": _plain(where.name), "classname": _plain(str(where.parent))}
        names["time"] = f"{file.seconds:.3f}"
        case = ElementTree.SubElement(suite, "testcase", names)
        found = [_plain(difference_words(file, row)) for row in report.differences(file)]
        if file.error:
            errors += 1
            ElementTree.SubElement(case, "error", message=_plain(file.error))
        elif found:
            failures += 1
            ElementTree.SubElement(case, "failure", message=found[0]).text = "\n".join(found)
    suite.set("failures", str(failures))
    suite.set("errors", str(errors))
    suite.set("time", f"{report.rate.seconds:.3f}")
    outputs.write(path, ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _plain(words: str) -> str:
    """The words with each character that XML cannot hold as its number."""
    return _NO_XML.sub(lambda sign: f"\\x{ord(sign[0]):02x}", words)
