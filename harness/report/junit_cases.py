"""Which test cases a file has in JUnit, and what each says: decided here, written elsewhere."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from harness.model.status import Cause, Status
from harness.model.test_result import Outcome, TestResult
from harness.records.declared import is_declared_empty
from harness.records.tier_record import FileRecord
from harness.report.evidence import evidence_lines, reason_of
from harness.report.naming import blamed_test, within_file


class Kind(StrEnum):
    """The element that a test case holds; a passed one holds none."""

    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test case. `type` is one of our own words; the rest may hold any character."""

    classname: str
    name: str
    seconds: float | None
    kind: Kind | None = None
    type: str = ""
    message: str = ""
    text: str = ""
    attachments: tuple[str, ...] = ()


def cases_of(record: FileRecord, results: Sequence[TestResult]) -> Iterator[Case]:
    """Yield the tests of a file, each once, then what speaks for the file itself.

    Of two results with one id the last counts. A file whose own end is the news (it timed out,
    crashed, leaked, never ran, ...) has one case more: named after the test that ran, or after
    the file where no test did or that test has a result of its own. What the tests left behind
    hangs on the first case that is not well.
    """
    last = {result.id: result for result in results}
    cases = [_of_test(record.file, result) for result in last.values()]
    of_file = _of_file(record, cases)
    if of_file is not None:
        cases.append(of_file)
    bad = [case for case in cases if case.kind in (Kind.FAILURE, Kind.ERROR)]
    for case in cases:
        yield _with_attachments(case, record.artefacts) if bad and case is bad[0] else case


def _of_test(file: str, result: TestResult) -> Case:
    classname, name = _names(file, within_file(file, result.id))
    kind, word = _element(result.outcome)
    message = result.message
    if kind is Kind.SKIPPED:
        expected = "expected failure" if result.outcome is Outcome.XFAILED else "skipped"
        message = result.skip_reason or result.message or expected
    elif kind is not None:
        message = message or f"{word}, and no message was kept"
    return Case(
        classname=classname,
        name=name,
        seconds=result.seconds,
        kind=kind,
        type=word,
        message=message,
        text=result.text,
    )


def _element(outcome: Outcome) -> tuple[Kind | None, str]:
    match outcome:
        case Outcome.PASSED | Outcome.XPASSED:
            return None, ""
        case Outcome.FAILED:
            return Kind.FAILURE, "failed"
        case Outcome.ERROR:
            return Kind.ERROR, "error"
        case Outcome.SKIPPED:
            return Kind.SKIPPED, "skipped"
        case Outcome.XFAILED:
            return Kind.SKIPPED, "xfailed"
        case _ as never:
            assert_never(never)


def _of_file(record: FileRecord, cases: Sequence[Case]) -> Case | None:
    kind = _kind_of_file(record, cases)
    if kind is None:
        return None
    evidence = record.failure_evidence
    test = blamed_test(record) if evidence and evidence.cause is not Cause.COLLECTION else None
    names = _names(record.file, test) if test else None
    if names is None or any((case.classname, case.name) == names for case in cases):
        names = (_module(record.file), record.file)
    reason = reason_of(record) or "no reason was recorded"
    return Case(
        classname=names[0],
        name=names[1],
        seconds=_remaining(record, cases),
        kind=kind,
        type=record.status.value,
        message=f"{record.status.value}: {reason}",
        text="\n".join(line.strip("\n") for line in evidence_lines(record)),
    )


def _kind_of_file(record: FileRecord, cases: Sequence[Case]) -> Kind | None:
    match record.status:
        case Status.PASSED:
            return None
        case Status.EMPTY:
            if not is_declared_empty(record):
                return Kind.ERROR
            return None if cases else Kind.SKIPPED
        case Status.FAILED:
            cause = record.failure_evidence.cause if record.failure_evidence else None
            told = any(case.kind in (Kind.FAILURE, Kind.ERROR) for case in cases)
            return None if told and cause in (Cause.TEST, Cause.COLLECTION) else Kind.ERROR
        case Status.TIMEOUT | Status.CRASHED | Status.INTERRUPTED | Status.NOT_RUN:
            return Kind.ERROR
        case _ as never:
            assert_never(never)


def _remaining(record: FileRecord, cases: Sequence[Case]) -> float | None:
    """Return the seconds of the file that no finished test accounts for."""
    if record.seconds is None:
        return None
    return max(0.0, record.seconds - sum(case.seconds or 0.0 for case in cases))


def _names(file: str, test: str) -> tuple[str, str]:
    """Return classname and name as pytest's own JUnit has them.

    Classes are parted by `::` before the first `[`; parameters may hold anything.
    """
    path, bracket, parameters = test.partition("[")
    *classes, name = path.split("::")
    return ".".join([_module(file), *classes]), name + bracket + parameters


def _module(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


def _with_attachments(case: Case, artefacts: tuple[str, ...]) -> Case:
    # GitLab shows the first attachment only: a picture tells more than anything else.
    ordered = sorted(artefacts, key=lambda path: not path.endswith(".png"))
    return replace(case, attachments=tuple(ordered))
