"""The report as JUnit XML: one suite for each phase, one case for each check."""

from xml.etree import ElementTree as ET

from harness.acceptance.check import Finding, Phase
from harness.acceptance.report import Outcome, Report
from harness.report.xml_text import xml_text

_ELEMENT = {Finding.FAIL: "failure", Finding.UNKNOWN: "error", Finding.SKIPPED: "skipped"}


def junit_xml(report: Report) -> bytes:
    """Return the document. Every count in it is the number of such elements below it.

    A fault that let no check run is an error of a case of its own, so that no reader takes an
    empty document for a success.
    """
    root = ET.Element("testsuites", {"name": "accept", "time": f"{report.seconds:.3f}"})
    for phase in Phase:
        checks = [each for each in report.checks if each.phase is phase]
        if checks:
            _suite(root, f"phase {phase.value}", [_case(each, phase) for each in checks])
    if report.fault or not report.checks:
        case = ET.Element("testcase", {"classname": "accept", "name": "run", "time": "0.000"})
        message = xml_text(report.fault or report.verdict)
        error = ET.SubElement(case, "error", {"type": report.verdict, "message": message})
        error.text = message
        _suite(root, "run", [case])
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _suite(root: ET.Element, name: str, cases: list[ET.Element]) -> None:
    suite = ET.SubElement(root, "testsuite", {"name": f"accept {name}", "tests": str(len(cases))})
    for element, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(count, str(sum(case.find(element) is not None for case in cases)))
    suite.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")
    suite.extend(cases)


def _case(outcome: Outcome, phase: Phase) -> ET.Element:
    case = ET.Element(
        "testcase",
        {
            "classname": f"accept.phase_{phase.value}",
            "name": xml_text(outcome.check),
            "time": f"{outcome.seconds:.3f}",
        },
    )
    element = _ELEMENT.get(outcome.finding)
    if element is not None:
        message = xml_text(outcome.measured)
        found = ET.SubElement(case, element, {"message": message})
        if element != "skipped":
            found.set("type", outcome.finding.value)
        lines = [outcome.measured, *outcome.details, f"next: {outcome.next}"]
        found.text = xml_text("\n".join(lines))
    return case
