"""Why a file is not `passed`, as lines for a person: bounded, printable, each behind a gutter.

The gutter keeps what a test printed from looking like a marker, or like a command to the CI that
shows the log.
"""

from collections.abc import Iterator

from harness.records.tier_record import FileRecord, Leaked
from harness.report.naming import blamed_test, within_file
from harness.report.safe_text import one_line

GUTTER = "    | "
_LISTED = 10


def evidence_lines(record: FileRecord, *, reason: bool = True) -> list[str]:
    """Return reason, failing tests, last output, leaked processes and artefacts, indented.

    The reason is left out when it says no more than which test failed.

    Failing tests and output have the bounds of the record; leaks and artefacts are cut at ten
    each, and say so.
    """
    return list(_lines(record, reason))


def reason_of(record: FileRecord) -> str:
    """Return the reason on one line; the file, which stands beside it, is not named again."""
    return one_line(record.reason.replace(f"{record.file}::", ""))


def tail_lines(text: str, count: int = 12) -> list[str]:
    """Return the last lines of an output behind the gutter."""
    return [GUTTER + _shown(line) for line in text.splitlines()[-count:]]


def leak_text(leak: Leaked) -> str:
    """Return one line on a process that outlived its file run."""
    command = "its command is not known" if leak.command is None else leak.command
    return one_line(f"process {leak.pid}: {command} ({leak.how})")


def _lines(record: FileRecord, reason: bool) -> Iterator[str]:
    why = reason_of(record)
    if reason and why and why != f"{one_line(blamed_test(record) or '')} failed":
        yield f"  why: {why}"
    evidence = record.failure_evidence
    if evidence is not None:
        for section in evidence.sections:
            yield f"  test: {one_line(within_file(record.file, section.test))}"
            yield from (GUTTER + _shown(line) for line in section.lines)
        if evidence.tail:
            yield "  last output:"
            yield from (GUTTER + _shown(line) for line in evidence.tail)
    leaks = [f"  leaked: {leak_text(leak)}" for leak in record.leaked]
    yield from _cut(leaks, "processes")
    yield from _cut([f"  see: {one_line(path)}" for path in record.artefacts], "artefacts")


def _cut(lines: list[str], what: str) -> Iterator[str]:
    yield from lines[:_LISTED]
    if len(lines) > _LISTED:
        yield f"  ... {len(lines) - _LISTED} more {what}"


def _shown(line: str) -> str:
    return one_line(line.expandtabs(4))
