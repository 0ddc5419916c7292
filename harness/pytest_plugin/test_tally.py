"""From pytest's reports to one outcome per test, with bounded evidence."""

from collections.abc import Iterable

import pytest

from harness.process.output import printable
from harness.pytest_plugin.witness_names import COMMANDS, NAVIGATIONS, REQUESTS, WITNESS, Seen
from harness.records.file_events import TestFinished

LINES = 20
_WIDTH = 240
_TEXT_CHARACTERS = 16_000
_SUBTEST_REPORTS = ("SubtestReport", "SubTestReport")


def bounded_text(text: object, most: int = 2000) -> str:
    """Return text that every format can carry: encodable, and cut in the middle when too long."""
    plain = str(text).encode("utf-8", "backslashreplace").decode()
    if len(plain) <= most:
        return plain
    half = most // 2
    return f"{plain[:half]}\n... {len(plain) - 2 * half} characters left out ...\n{plain[-half:]}"


def bounded_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Return at most 20 lines of at most 240 characters, without control characters."""
    kept = [line for line in lines if line.strip()]
    return tuple(_line(line) for line in kept[:LINES])


def _line(text: str) -> str:
    return printable(bounded_text(text.rstrip(), 4 * _WIDTH)).replace("\n", " ")[:_WIDTH]


class TestTally:
    """The reports of the test that runs."""

    __test__ = False

    def __init__(self) -> None:
        self._id = ""
        self._reports: list[pytest.TestReport] = []
        self._failed_subtests: list[pytest.TestReport] = []

    def begin(self, nodeid: str) -> None:
        """A test begins."""
        self._id = nodeid
        self._reports, self._failed_subtests = [], []

    def add(self, report: pytest.TestReport) -> None:
        """Take one report in. A failed subtest fails its test, whose own report says passed."""
        if type(report).__name__ in _SUBTEST_REPORTS:
            if report.failed:
                self._failed_subtests.append(report)
            return
        if report.when == "setup":
            self._reports = []
        self._reports.append(report)

    def finish(self, nodeid: str) -> TestFinished | None:
        """Return how the test ended; None when no report of it was complete."""
        phases = {report.when: report for report in self._reports}
        if nodeid != self._id or "teardown" not in phases:
            return None
        errors = [one for one in self._reports if one.when != "call" and one.failed]
        call = phases.get("call")
        outcome = _outcome(call or phases["setup"])
        if call is not None and self._failed_subtests:
            outcome = "failed"
        bad = [*self._failed_subtests, *(one for one in self._reports if one.failed)]
        properties = dict(phases["teardown"].user_properties)
        return TestFinished(
            pid=0,
            id=bounded_text(nodeid),
            outcome=outcome,
            errors=len(errors),
            seconds=max(0.0, sum(one.duration for one in self._reports)),
            lines=_evidence(nodeid, bad),
            message=bounded_text(_message(bad[0])) if bad else "",
            text=bounded_text("\n\n".join(_text(one) for one in bad), _TEXT_CHARACTERS),
            skip_reason=bounded_text(_skip_reason(call or phases["setup"])),
            navigations=_count(properties.get(NAVIGATIONS)),
            requests=_count(properties.get(REQUESTS)),
            commands=_count(properties.get(COMMANDS)),
            idle=properties.get(WITNESS) == Seen.NOT_DRIVEN.value,
        )


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _outcome(report: pytest.TestReport) -> str:
    if hasattr(report, "wasxfail"):
        if report.skipped:
            return "xfailed"
        if report.passed:
            return "xpassed"
    if report.when == "setup" and report.failed:
        return "error"
    return str(report.outcome)


def _skip_reason(report: pytest.TestReport) -> str:
    if not report.skipped or hasattr(report, "wasxfail"):
        return ""
    return reason_of(report)


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return why a skipped report was skipped, in the words of the test."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")


def _message(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message) if crash is not None else str(report.longrepr)


def _text(report: pytest.TestReport) -> str:
    return str(getattr(report, "longreprtext", "") or report.longrepr)


def _evidence(nodeid: str, bad: list[pytest.TestReport]) -> tuple[str, ...]:
    """Return name and assertion first, then where it failed, then what the browser had to say."""
    if not bad:
        return ()
    first = bad[0]
    phase = "" if first.when == "call" else f" ({first.when})"
    rows = [f"{nodeid}{phase}", *_message(first).splitlines()[:6]]
    crash = getattr(first.longrepr, "reprcrash", None)
    if crash is not None:
        rows.append(f"at {crash.path}:{crash.lineno}")
    for title, content in first.sections:
        if title.startswith("lanewright"):
            rows += content.splitlines()
    return bounded_lines(rows)
