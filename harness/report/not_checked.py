"""What a run did not check: every run says so at its end, a passed one too."""

from collections import defaultdict
from collections.abc import Iterator

from harness.model.status import Dispatch, Phase, Status
from harness.records.tier_record import FileRecord, TierRecord
from harness.report.glances import plural
from harness.report.safe_text import one_line

_NAMED = 3
_CUT_SHORT = (Status.TIMEOUT, Status.CRASHED, Status.INTERRUPTED)
_OTHER_PHASE = {
    Phase.PARALLEL: "files that run alone (this was the parallel phase only)",
    Phase.ISOLATED: "files that run beside others (this was the isolated phase only)",
}


def not_checked(record: TierRecord) -> list[str]:
    """Return one line for each kind of thing that was left out; none when nothing was."""
    return list(_lines(record))


def names(every: list[str]) -> str:
    """Return the first few names, printable, and how many more there are."""
    shown = ", ".join(one_line(name) for name in every[:_NAMED])
    more = len(every) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _lines(record: TierRecord) -> Iterator[str]:
    yield from _files(record, Dispatch.DISPATCHED, "that had no turn")
    yield from _files(record, Dispatch.OMITTED, "left out")
    yield from _kept_out(record)
    if record.shard is not None and record.shard.total > 1:
        others = record.shard.total - 1
        yield f"the files of the other {plural(others, 'shard')} of {record.shard.total}"
    if record.phase is not None:
        yield _OTHER_PHASE[record.phase]
    yield from _tests(record)


def _files(record: TierRecord, dispatch: Dispatch, which: str) -> Iterator[str]:
    by_reason: dict[str, list[str]] = defaultdict(list)
    for one in record.files:
        if one.status is Status.NOT_RUN and one.dispatch is dispatch:
            by_reason[one.reason or "no reason was given"].append(one.file)
    for reason, files in by_reason.items():
        yield f"{plural(len(files), 'file')} {which}, {one_line(reason)}: {names(files)}"


def _kept_out(record: TierRecord) -> Iterator[str]:
    by_reason: dict[str, list[str]] = defaultdict(list)
    for one in record.left_out:
        by_reason[one.reason].append(one.file)
    for reason, files in by_reason.items():
        yield f"{plural(len(files), 'file')} in no lane, {one_line(reason)}: {names(files)}"


def _tests(record: TierRecord) -> Iterator[str]:
    unreported = sum(_unreported(one) for one in record.files)
    if unreported:
        yield f"{plural(unreported, 'test')} without a result, in files that did not end well"
    skipped = sum(one.counts.skipped for one in record.files)
    if skipped:
        yield f"{plural(skipped, 'skipped test')}"
    deselected = sum(one.counts.deselected for one in record.files)
    if deselected:
        where = [one.file for one in record.files if one.counts.deselected]
        yield f"{plural(deselected, 'deselected test')}: {names(where)}"


def _unreported(record: FileRecord) -> int:
    """Return how many collected tests have no result; an error may stand for one of them."""
    if record.status not in _CUT_SHORT:
        return 0
    counts = record.counts
    known = counts.passed + counts.failed + counts.skipped + counts.xfailed + counts.xpassed
    return max(0, counts.collected - known - counts.errors)
