"""The end of a run, from its record: failures first, last what to remember. Pure: text out."""

from collections import defaultdict
from collections.abc import Iterator

from harness.errors import ExitCode
from harness.model.status import Phase, Status
from harness.records.declared import is_declared_empty
from harness.records.tier_record import FileRecord, HostLoad, TierRecord
from harness.report.dispatched import dispatched
from harness.report.durations import spoken
from harness.report.evidence import evidence_lines, leak_text
from harness.report.exit_code import exit_code_of
from harness.report.glances import plural
from harness.report.naming import blamed_test, run_again, within_file
from harness.report.not_checked import names, not_checked
from harness.report.paint import Paint
from harness.report.safe_text import one_line

SLOWEST = 5
NOT_CHECKED = "Not checked by this run"
_WORST_FIRST = (
    Status.FAILED,
    Status.TIMEOUT,
    Status.CRASHED,
    Status.INTERRUPTED,
    Status.EMPTY,
)
_VERDICTS = {
    ExitCode.PASSED: (Status.PASSED, "passed"),
    ExitCode.FAILED: (Status.FAILED, "failed"),
    ExitCode.REFUSED: (Status.FAILED, "refused"),
    ExitCode.EMPTY: (Status.EMPTY, "empty"),
    ExitCode.FAULT: (Status.CRASHED, "incomplete"),
}


def summary(
    record: TierRecord,
    *,
    in_ci: bool = False,
    predicted_seconds: float | None = None,
    paint: Paint | None = None,
) -> list[str]:
    """Return the lines; none begins as a marker does, each is printable but for its colours.

    A section that has nothing to say is left out, and where all is well so are slowest files
    and load. What was not checked, and a last line with counts and seconds, always stand.
    """
    paint = paint or Paint()
    verdict = exit_code_of(record, in_ci=in_ci)
    lines = [""]
    lines += _titled("Not passed", _failures(record, paint), paint)
    lines += _titled("Leaked processes", _leaks(record), paint)
    if verdict is not ExitCode.PASSED:
        lines += _titled("Slowest files", _slowest(record), paint)
    lines += _titled(
        "Skipped, and not declared in [tool.harness.allowed_skips]", _skips(record, False), paint
    )
    lines += _titled("Skipped, declared", _skips(record, True), paint)
    lines += _titled("Browser tests that drove no browser", _idle(record), paint)
    left_out = [f"  {line}" for line in not_checked(record)]
    lines += _titled(NOT_CHECKED, left_out, paint)
    if not left_out:
        lines.append(f"{paint.strong(f'{NOT_CHECKED}:')} nothing")
    lines.append(_time(record, predicted_seconds))
    if verdict is not ExitCode.PASSED:
        lines += _host(record)
    lines.append(_last_line(record, verdict, paint))
    return lines


def _titled(title: str, lines: list[str], paint: Paint) -> list[str]:
    return [paint.strong(f"{title}:"), *lines, ""] if lines else []


def _failures(record: TierRecord, paint: Paint) -> list[str]:
    shown = [
        one
        for status in _WORST_FIRST
        for one in dispatched(record)
        if one.status is status and not is_declared_empty(one)
    ]
    blocks = [list(_failure(one, paint)) for one in shown]
    return [line for block in blocks for line in ("", *block)][1:]


def _failure(record: FileRecord, paint: Paint) -> Iterator[str]:
    test = blamed_test(record)
    named = f" ({one_line(test)})" if test else ""
    word = paint.status(record.status, record.status.value)
    yield f"  {word}  {one_line(record.file)}{named}"
    yield from (f"  {line}" for line in evidence_lines(record))
    yield f"    run it again: {paint.strong(run_again(record))}"


def _leaks(record: TierRecord) -> list[str]:
    return [
        f"  {one_line(one.file)}: {leak_text(leak)}" for one in record.files for leak in one.leaked
    ]


def _slowest(record: TierRecord) -> list[str]:
    timed = [(one.seconds, one.file) for one in record.files if one.seconds is not None]
    if len(timed) < 2:
        return []
    return [
        f"  {spoken(seconds):>12}  {one_line(file)}"
        for seconds, file in sorted(timed, key=lambda pair: (-pair[0], pair[1]))[:SLOWEST]
    ]


def _skips(record: TierRecord, declared: bool) -> list[str]:
    by_reason: dict[str, list[str]] = defaultdict(list)
    for one in record.files:
        for skip in one.skips:
            if skip.declared is declared:
                test = within_file(one.file, skip.id)
                name = one.file if test == one.file else f"{one.file}::{test}"
                by_reason[skip.reason].append(name)
    return [
        f"  {len(tests)} x {one_line(reason) or 'without a reason'}: {names(tests)}"
        for reason, tests in by_reason.items()
    ]


def _idle(record: TierRecord) -> list[str]:
    return [
        f"  {one_line(one.file)}: {names([within_file(one.file, test) for test in idle])}"
        for one in record.files
        if (idle := one.witness.idle if one.witness else ())
    ]


def _time(record: TierRecord, predicted_seconds: float | None) -> str:
    line = f"Time: {spoken(record.seconds)}"
    if predicted_seconds is None:
        return f"{line}, with no estimate to compare"
    line += f", expected {spoken(predicted_seconds)}"
    if predicted_seconds > 0:
        line += f" ({100 * (record.seconds / predicted_seconds - 1):+.0f} %)"
    return line


def _host(record: TierRecord) -> list[str]:
    host = record.host
    load = _load(host.loadavg_1m)
    return [f"Host: {host.available_parallelism} of {plural(host.cpus, 'processor')}, {load}"]


def _load(load: HostLoad) -> str:
    readings = {"before": load.before, "at most": load.max, "after": load.after}
    known = [f"{value:.1f} {when}" for when, value in readings.items() if value is not None]
    return f"load {', '.join(known)}" if known else "load unknown"


def _last_line(record: TierRecord, verdict: ExitCode, paint: Paint) -> str:
    files = dispatched(record)
    colour, word = _VERDICTS[verdict]
    if not files:
        part = _part(record)
        what = f"{part} has no file to run" if part else "no file was run"
        return paint.status(colour, f"{word}: {what}; {record.seconds:.1f} s")
    by_status = {status: sum(1 for one in files if one.status is status) for status in Status}
    told = [f"{count} {status.value}" for status, count in by_status.items() if count]
    files_told = plural(len(files), "file")
    if by_status[Status.PASSED] != len(files):
        files_told += f" ({', '.join(told)})"
    text = f"{word}: {files_told}; tests: {_tests_told(files)}; {record.seconds:.1f} s"
    return paint.status(colour, text)


def _part(record: TierRecord) -> str:
    if record.shard is not None:
        return f"shard {record.shard.index}/{record.shard.total}"
    return {None: "", Phase.PARALLEL: "the parallel phase", Phase.ISOLATED: "the isolated phase"}[
        record.phase
    ]


def _tests_told(files: list[FileRecord]) -> str:
    counts = [one.counts for one in files]
    kinds = {
        "passed": sum(one.passed for one in counts),
        "failed": sum(one.failed for one in counts),
        "errors": sum(one.errors for one in counts),
        "skipped": sum(one.skipped for one in counts),
        "expected to fail": sum(one.xfailed for one in counts),
        "passed unexpectedly": sum(one.xpassed for one in counts),
        "deselected": sum(one.deselected for one in counts),
    }
    told = [f"{count} {kind}" for kind, count in kinds.items() if count]
    return ", ".join(told) or "none"
