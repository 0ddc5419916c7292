"""`harness run`: run a lane, file by file, and write down what became of every file."""

import math
import os
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from harness.cli.lane_runs import LaneRun, Request, lanes_of
from harness.cli.observers import is_document_lost, observers
from harness.cli.plan import described
from harness.cli.planning import ShardType, history_of
from harness.cli.project import project_root
from harness.cli.record_paths import junit_path, record_path
from harness.config.ci import in_ci
from harness.config.reader import load
from harness.config.schema import Config
from harness.errors import ExitCode, HarnessError, PreconditionError, UsageError, most_severe
from harness.model.identifiers import Lane
from harness.model.status import Phase, Selection
from harness.plan.queue import Plan, Shard
from harness.process.load import read_load
from harness.records.history import HistoryError
from harness.report.exit_code import exit_code_of
from harness.report.junit import write_junit
from harness.report.observer import Fanout
from harness.repository.tree import TreeState, tree_state
from harness.runner.run_folder import RunFolder
from harness.runner.tier_run import Tier, TierOptions, TierResult

HEARTBEAT_SECONDS = 30.0


@click.command(
    epilog="Exit codes: 0 every file passed, 1 a file failed, timed out, crashed or did not run, "
    "2 usage or configuration, 3 refused (coverage; under CI=true a skip that nothing declares), "
    "4 nothing was executed, 5 no browser under CI=true, 6 a fault of the harness, 129/130/143 "
    "ended by SIGHUP/SIGINT/SIGTERM. SIGUSR1 prints what runs now."
)
@click.option("--lane", type=click.Choice([one.value for one in Lane]), help="Only this lane.")
@click.option(
    "--workers", "-w", type=click.IntRange(min=1), help="Slots. Default: one for each processor."
)
@click.option("--shard", type=ShardType(), help="Only part I of N of each lane.")
@click.option(
    "--durations",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Estimate from this file: a tier record, or JSON {file: seconds}.",
)
@click.option("--parallel-only", is_flag=True, help="Leave the isolated files to another run.")
@click.option("--isolated-only", is_flag=True, help="Run the isolated files alone.")
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="Write the tier record here: a file, or a folder that exists. Default: .harness/records.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Keep output and artefacts here: a new or empty folder. Default: .harness/runs, of which "
    "the last five are kept.",
)
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write JUnit XML.")
@click.option(
    "--deadline",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop the run after so long; what runs then is interrupted, the rest is not run.",
)
@click.option(
    "--rerun", type=click.Choice(["failed"]), help="Only what did not pass in the last record."
)
@click.option("--dry-run", is_flag=True, help="Print what would run, in order; start nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the tier record as JSON at the end.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
def command(
    lane: str | None,
    workers: int | None,
    shard: Shard | None,
    durations: Path | None,
    parallel_only: bool,
    isolated_only: bool,
    record: Path | None,
    output: Path | None,
    junit: Path | None,
    deadline: float | None,
    rerun: str | None,
    dry_run: bool,
    as_json: bool,
    paths: tuple[str, ...],
) -> int:
    """Run test files, each in a process of its own, longest first, and record how each ended.

    Files of `[tool.harness.isolated]` run at the end, alone. Without --lane the lanes unit,
    server and browser run one after the other. PATH selects files, or all files below a folder.
    """
    if parallel_only and isolated_only:
        raise UsageError("--parallel-only and --isolated-only exclude each other")
    if deadline is not None and not math.isfinite(deadline):
        raise UsageError(f"--deadline {deadline} is no number of seconds; leave it out for none")
    request = Request(
        lane=Lane(lane) if lane else None,
        workers=workers or read_load().processors,
        shard=shard,
        durations=durations,
        phase=Phase.PARALLEL if parallel_only else Phase.ISOLATED if isolated_only else None,
        record=record,
        output=output,
        junit=junit,
        deadline_at=None if deadline is None else time.monotonic() + deadline,
        rerun_failed=rerun is not None,
        as_json=as_json,
        paths=paths,
    )
    root = project_root()
    config = load(root)
    lanes = lanes_of(root, config, request)
    if dry_run:
        for one in lanes:
            click.echo("\n".join(described(one.plan)))
        return ExitCode.PASSED
    if not lanes:
        nothing = "nothing is left to run again" if rerun else "there is no test file to run"
        click.echo(f"harness: unknown: {nothing}", err=True)
        return ExitCode.EMPTY
    return _run(root, config, request, lanes)


def _run(root: Path, config: Config, request: Request, lanes: Sequence[LaneRun]) -> int:
    tree = tree_state(root)
    codes: list[ExitCode] = []
    for number, lane in enumerate(lanes, start=1):
        _require_browser(lane.plan)
        audience = observers(as_json=request.as_json)
        result = _run_lane(root, config, request, lane, tree, audience, several=len(lanes) > 1)
        codes.append(
            exit_code_of(
                result.record,
                in_ci=in_ci(os.environ),
                signal=result.signal,
                written=result.problem is None,
            )
        )
        is_junit_lost = not _write_junit(request, result, several=len(lanes) > 1)
        if is_junit_lost or is_document_lost(audience):
            codes.append(ExitCode.FAULT)
        if result.signal is not None or (
            request.deadline_at is not None and time.monotonic() >= request.deadline_at
        ):
            _tell_the_rest(lanes[number:])
            break
    return most_severe(codes)


def _run_lane(
    root: Path,
    config: Config,
    request: Request,
    lane: LaneRun,
    tree: TreeState,
    audience: Fanout,
    *,
    several: bool,
) -> TierResult:
    name = lane.plan.lane
    path = record_path(
        root, request.record, name, request.phase, request.shard, rerun=request.rerun_failed
    )
    with _folder(root, request.output, name, several) as folder:
        options = TierOptions(
            root=root,
            slots=request.workers,
            phase=request.phase,
            record_path=path,
            command=tuple(sys.argv),
            tree=tree,
            attempts=lane.attempts,
            glance_seconds=HEARTBEAT_SECONDS,
            deadline_at=request.deadline_at,
        )
        result = Tier(lane.plan, config, options, folder, audience.on).run()
    for fault in result.faults:
        click.echo(f"harness: {fault}", err=True)
    _remember(root, result)
    return result


def _write_junit(request: Request, result: TierResult, *, several: bool) -> bool:
    """Write what was asked for; False, and said so, when that cannot be done."""
    if request.junit is None:
        return True
    path = junit_path(request.junit, result.record.lane, several)
    try:
        write_junit(path, result.record, result.results)
    except OSError as error:
        click.echo(f"harness: the JUnit file {path} cannot be written: {error}", err=True)
        return False
    return True


def _folder(root: Path, output: Path | None, lane: Lane, several: bool) -> RunFolder:
    if output is None:
        return RunFolder.new(root, lane.value)
    return RunFolder.at((output / lane.value if several else output).absolute())


def _remember(root: Path, result: TierResult) -> None:
    try:
        history_of(root).add([result.record])
    except HistoryError as error:
        click.echo(f"harness: {error}", err=True)


def _require_browser(plan: Plan) -> None:
    """Refuse a browser lane in CI that has no browser; elsewhere its tests skip by name."""
    dispatched = any(one.selection is not Selection.NOT_SELECTED for one in plan.files)
    if plan.lane is not Lane.BROWSER or not dispatched or not in_ci(os.environ):
        return
    from harness.browser import binary

    try:
        binary.find()
    except HarnessError as error:
        raise PreconditionError(
            f"the browser lane has no browser, and CI is set: {error}"
        ) from None


def _tell_the_rest(lanes: Sequence[LaneRun]) -> None:
    for lane in lanes:
        name = lane.plan.lane.value
        again = shlex.join(["harness", "run", "--lane", name])
        click.echo(f"harness: unknown: the lane {name} was not begun; {again}", err=True)
