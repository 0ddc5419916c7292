"""What `harness run` is asked for, and the lanes that follow from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.cli.planning import estimate, make_plan
from harness.cli.record_paths import (
    earlier_records,
    junit_path,
    refuse_foreign,
    refuse_foreign_output,
    refuse_foreign_record,
)
from harness.cli.roster import choose, load_roster
from harness.config.schema import Config
from harness.errors import UsageError
from harness.model.identifiers import Lane, TestFile
from harness.model.status import Phase, Status
from harness.plan.queue import Plan, Shard
from harness.records.tier_record import FileRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The command line of one run."""

    lane: Lane | None
    workers: int
    shard: Shard | None
    durations: Path | None
    phase: Phase | None
    record: Path | None
    output: Path | None
    junit: Path | None
    deadline_at: float | None
    rerun_failed: bool
    as_json: bool
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneRun:
    """One lane of a run: its plan, and how often its files have been tried by earlier runs."""

    plan: Plan
    attempts: Mapping[TestFile, int]


def lanes_of(root: Path, config: Config, request: Request) -> list[LaneRun]:
    """Return every lane that has something to run, in the order of their demands.

    Raises UsageError for a request that cannot be met, and what `make_plan` raises.
    """
    roster = load_roster(root, config)
    named = frozenset(entry.file for entry in choose(roster.entries, request.paths, root))
    lanes = []
    for lane in [request.lane] if request.lane else Lane:
        entries = roster.lane(lane)
        if not entries:
            continue
        earlier = _earlier(root, request, lane) if request.rerun_failed else {}
        chosen = [
            entry.file
            for entry in entries
            if entry.file in named and _is_wanted(entry.file, request, earlier)
        ]
        if not chosen:
            continue
        plan = make_plan(
            roster,
            config,
            lane,
            estimates=estimate(root, request.durations, request.shard is not None, entries),
            shard=request.shard,
            paths=chosen if request.paths or request.rerun_failed else (),
        )
        attempts = {file: one.attempt for file, one in earlier.items()}
        lanes.append(LaneRun(plan=plan, attempts=attempts))
    if len(lanes) > 1 and request.record is not None and not request.record.is_dir():
        raise UsageError(
            f"--record {request.record} is one file and this run has {len(lanes)} lanes: name a "
            "folder that exists, or one --lane"
        )
    if request.record is not None:
        refuse_foreign_record(request.record)
    if request.output is not None and len(lanes) > 1:
        refuse_foreign_output(request.output)
    if request.junit is not None:
        for one in lanes:
            refuse_foreign(junit_path(request.junit, one.plan.lane, len(lanes) > 1))
    return lanes


def _is_wanted(file: TestFile, request: Request, earlier: Mapping[TestFile, FileRecord]) -> bool:
    """Tell whether a re-run is to run a file; any other run wants all of them."""
    return not request.rerun_failed or (
        file in earlier and earlier[file].status is not Status.PASSED
    )


def _earlier(root: Path, request: Request, lane: Lane) -> Mapping[TestFile, FileRecord]:
    return earlier_records(root, request.record, lane, request.phase, request.shard)
