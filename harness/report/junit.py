"""JUnit XML as GitLab, Jenkins (the `junit` step) and CircleCI read it.

One `testsuite` for each file that the run was to run. What each reader needs:

- GitLab knows a test by suite, classname and name, drops a second one of the same, and shows the
  content of `failure`, `error` and `skipped`, not their attributes: both say it here.
- Jenkins takes `error` before `failure`, the packages from the dots of classname, and shows
  `message`.
- CircleCI splits by `file` and `time` of the test cases.

The schema of Jenkins' *xUnit* plugin knows no `file` on a test case; the `junit` step has none.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from harness.model.test_result import TestResult
from harness.records import atomic_file
from harness.records.tier_record import FileRecord, TierRecord
from harness.report.dispatched import dispatched
from harness.report.junit_cases import Case, Kind, cases_of
from harness.report.xml_text import xml_text

_COUNTED = {Kind.FAILURE: "failures", Kind.ERROR: "errors", Kind.SKIPPED: "skipped"}


def junit_xml(record: TierRecord, results: Mapping[str, Sequence[TestResult]]) -> bytes:
    """Return the document. `results` holds the finished tests of each file, by its name.

    Every file that is not `passed` has an `error` or a `failure`, but for a declared empty one.
    Every count in an attribute is the number of such elements below it.
    """
    root = ET.Element("testsuites", {"name": f"harness {record.lane.value}"})
    for one in dispatched(record):
        root.append(_suite(one, results.get(one.file, ())))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    root.set("time", _time(record.seconds))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def write_junit(
    path: Path, record: TierRecord, results: Mapping[str, Sequence[TestResult]]
) -> None:
    """Write the document to `path`, whole or not at all; its folder is made.

    Raises OSError, and then leaves what was there before.
    """
    atomic_file.write_bytes(path, junit_xml(record, results))


def _suite(record: FileRecord, results: Sequence[TestResult]) -> ET.Element:
    file = xml_text(record.file)
    cases = list(cases_of(record, results))
    counts = dict.fromkeys(_COUNTED.values(), 0)
    for case in cases:
        if case.kind is not None:
            counts[_COUNTED[case.kind]] += 1
    suite = ET.Element(
        "testsuite",
        {
            "name": file,
            "file": file,
            "tests": str(len(cases)),
            **{name: str(count) for name, count in counts.items()},
            "time": _time(record.seconds),
        },
    )
    suite.extend(_case(case, file) for case in cases)
    return suite


def _case(case: Case, file: str) -> ET.Element:
    element = ET.Element(
        "testcase",
        {
            "classname": xml_text(case.classname),
            "name": xml_text(case.name),
            "file": file,
            "time": _time(case.seconds),
        },
    )
    if case.kind is not None:
        verdict = ET.SubElement(
            element,
            case.kind.value,
            {"type": case.type, "message": xml_text(case.message)},
        )
        verdict.text = xml_text(case.text or case.message)
    if case.attachments:
        output = ET.SubElement(element, "system-out")
        output.text = xml_text("\n".join(f"[[ATTACHMENT|{one}]]" for one in case.attachments))
    return element


def _time(seconds: float | None) -> str:
    return f"{max(0.0, seconds or 0.0):.3f}"
