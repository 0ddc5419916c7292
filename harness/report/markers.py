"""One line per terminal file, at line start, for whoever reads a log without a parser.

`harness: STATUS: FILE (DETAIL)`. The detail of a file that failed, timed out, crashed or was
interrupted is the test to blame, or the reason where no test is; that of one that did not run or
was empty is the reason. Nothing else in this room begins a line with `harness: `.
"""

from harness.model.status import Status
from harness.records.tier_record import FileRecord
from harness.report.evidence import reason_of
from harness.report.naming import blamed_test
from harness.report.safe_text import one_line

PREFIX = "harness: "
UNKNOWN = "unknown"
FORMS = {
    Status.PASSED.value: "harness: passed: FILE",
    Status.FAILED.value: "harness: failed: FILE (test)",
    Status.TIMEOUT.value: "harness: timeout: FILE (test)",
    Status.CRASHED.value: "harness: crashed: FILE (test)",
    Status.INTERRUPTED.value: "harness: interrupted: FILE (test)",
    Status.NOT_RUN.value: "harness: not_run: FILE (reason)",
    Status.EMPTY.value: "harness: empty: FILE (reason)",
    UNKNOWN: "harness: unknown: REASON",
}
"""Every marker that exists, by its word. There is none for a file that runs."""

_WITHOUT_TEST = (Status.NOT_RUN, Status.EMPTY)


def marker(record: FileRecord) -> str:
    """Return the marker of a file, one printable line without its end."""
    line = f"{PREFIX}{record.status.value}: {one_line(record.file)}"
    if record.status is Status.PASSED:
        return line
    test = None if record.status in _WITHOUT_TEST else blamed_test(record)
    detail = one_line(test) if test else reason_of(record)
    return f"{line} ({detail})" if detail else line


def unknown(reason: str) -> str:
    """Return the marker of a run whose outcome is not known as a whole."""
    return f"{PREFIX}{UNKNOWN}: {one_line(reason)}"
