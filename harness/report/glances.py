"""What the case is in the middle of a run, as lines for a log."""

from collections.abc import Iterator

from harness.model.run_events import FileSlow, Glance, Running, RunStarted, StopAsked
from harness.report.durations import spoken
from harness.report.evidence import tail_lines
from harness.report.naming import within_file
from harness.report.safe_text import one_line


def plural(count: int, noun: str) -> str:
    """Return `1 file`, `2 files`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def start_line(event: RunStarted) -> str:
    """Say what begins."""
    alone = f", {event.isolated_files} of them alone afterwards" if event.isolated_files else ""
    shard = f", shard {one_line(event.shard)}" if event.shard else ""
    if not event.files:
        return f"Lane {event.lane.value}{shard}: there is no file to run."
    predicted = event.predicted_seconds
    expected = "" if predicted is None else f"; expected to take {spoken(predicted)}"
    return (
        f"Lane {event.lane.value}{shard}: {plural(event.files, 'file')} on "
        f"{plural(event.slots, 'slot')}{alone}{expected}."
    )


def slow_line(event: FileSlow) -> str:
    """Say that a file has used most of its budget."""
    at = f", at {one_line(within_file(event.file, event.test))}" if event.test else ""
    return (
        f"slow: {one_line(event.file)} has used {spoken(event.seconds)} of its budget of "
        f"{spoken(event.budget_seconds)}{at}"
    )


def stop_line(event: StopAsked) -> str:
    """Say that the run ends early, and what becomes of its files."""
    return (
        f"stopping: {one_line(event.reason)}; files that run become interrupted, the rest not_run"
    )


def heartbeat(event: Glance) -> str:
    """Say on one line what runs, how long, and how many files wait and have ended."""
    running = "; ".join(_running(one) for one in event.running) or "nothing runs"
    return f"after {spoken(event.seconds)}: {event.ended} ended, {event.waiting} wait; {running}"


def detail(event: Glance) -> list[str]:
    """Say all that is known about every file that runs, with the end of its output."""
    return list(_detail(event))


def _running(one: Running) -> str:
    test = f" at {one_line(within_file(one.file, one.test))}" if one.test else ""
    return f"{one_line(one.file)}{test} for {spoken(one.seconds)}"


def _detail(event: Glance) -> Iterator[str]:
    yield (
        f"Asked after {spoken(event.seconds)}: {len(event.running)} running, "
        f"{event.waiting} waiting, {event.ended} ended."
    )
    for one in event.running:
        yield f"  slot {one.slot}, pid {one.pid}: {_running(one)}"
        yield from tail_lines(one.tail)
