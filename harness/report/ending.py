"""What every face of a run writes when it has ended: the unknown marker, problems, the summary."""

from collections.abc import Iterator

from harness.model.run_events import RunEnded
from harness.records.tier_record import TierRecord
from harness.report.markers import unknown
from harness.report.paint import Paint
from harness.report.safe_text import one_line
from harness.report.summary import summary


def end_lines(event: RunEnded[TierRecord], *, in_ci: bool, paint: Paint) -> list[str]:
    """Return the lines. A run that is not complete has an `unknown` marker, first of all."""
    return list(_lines(event, in_ci, paint))


def _lines(event: RunEnded[TierRecord], in_ci: bool, paint: Paint) -> Iterator[str]:
    reason = event.unknown
    if reason is None and not event.record.complete:
        reason = "the run ended before every file had its status"
    if reason is not None:
        yield unknown(reason)
    *body, last = summary(
        event.record, in_ci=in_ci, predicted_seconds=event.predicted_seconds, paint=paint
    )
    yield from body
    if event.problem is not None:
        yield f"Record: not written: {one_line(event.problem)}"
    elif event.path is not None:
        yield f"Record: {one_line(event.path)}"
    yield last
