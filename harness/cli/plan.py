"""`harness plan`: what a run would run, in order; nothing is started."""

import json
from pathlib import Path
from typing import Any

import click

from harness.cli.planning import MOST_SHARDS, ShardType, estimate, make_plan, parts_of
from harness.cli.project import project_root
from harness.cli.roster import choose, load_roster
from harness.config.reader import load
from harness.errors import ExitCode, UsageError
from harness.model.identifiers import Lane
from harness.model.status import Selection
from harness.plan.queue import Plan, PlannedFile, Shard
from harness.report.glances import plural
from harness.report.safe_text import one_line

SCHEMA = "lanewright.plan"
SCHEMA_VERSION = 1


@click.command(
    epilog="Order: files without a known duration first, then longest first; isolated files last "
    "and alone. Every file of a lane is in its plan exactly once, or nothing is printed. "
    "Exit codes: 0 planned, 2 usage or configuration, 3 the configuration names a file that is "
    "not there."
)
@click.option("--lane", type=click.Choice([lane.value for lane in Lane]), help="Only this lane.")
@click.option(
    "--shards", type=click.IntRange(1, MOST_SHARDS), help="Divide each lane over N machines."
)
@click.option("--shard", type=ShardType(), help="Only part I of N.")
@click.option(
    "--durations",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Estimate from this file: a tier record, or JSON {file: seconds}. Give every shard the "
    "same one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--github-matrix", is_flag=True, help="Print a matrix for a GitHub workflow.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
def command(
    lane: str | None,
    shards: int | None,
    shard: Shard | None,
    durations: Path | None,
    as_json: bool,
    github_matrix: bool,
    paths: tuple[str, ...],
) -> int:
    """Print what `harness run` would run, in order. Starts nothing.

    A sharded plan is the same on every machine: it estimates from --durations, else from the size
    of the sources, never from this machine's history.
    """
    if shard and shards and shard.total != shards:
        raise UsageError(f"--shard {shard} and --shards {shards} speak of different divisions")
    root = project_root()
    config = load(root)
    roster = load_roster(root, config)
    chosen = [entry.file for entry in choose(roster.entries, paths, root)] if paths else ()
    total = shard.total if shard else shards or 1
    plans: list[Plan] = []
    for one in [Lane(lane)] if lane else Lane:
        entries = roster.lane(one)
        estimates = estimate(root, durations, total > 1 or shard is not None, entries)
        whole = make_plan(
            roster, config, one, estimates=estimates, shard=None, shards=total, paths=chosen
        )
        parts = parts_of(whole, roster, total) if total > 1 or shard else [whole]
        plans += [parts[shard.index - 1]] if shard else parts
    if github_matrix:
        click.echo(json.dumps(_matrix(plans), sort_keys=True))
    elif as_json:
        click.echo(json.dumps(_document(plans), indent=2, sort_keys=True))
    else:
        for plan in plans:
            click.echo("\n".join(described(plan)))
    return ExitCode.PASSED


def _matrix(plans: list[Plan]) -> dict[str, Any]:
    return {
        "include": [
            {
                "lane": plan.lane.value,
                "shard": str(plan.shard) if plan.shard else "1/1",
                "name": f"{plan.lane.value} {plan.shard or '1/1'}",
            }
            for plan in plans
            if plan.files
        ]
    }


def _document(plans: list[Plan]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "plans": [
            {
                "lane": plan.lane.value,
                "shard": {"index": plan.shard.index, "total": plan.shard.total}
                if plan.shard
                else None,
                "roster_hash": plan.roster_hash,
                "plan_digest": plan.plan_digest,
                "estimates_from": plan.estimates_from,
                "parallel": [_row(one) for one in plan.parallel],
                "isolated": [_row(one) for one in plan.isolated],
            }
            for plan in plans
        ],
    }


def _row(planned: PlannedFile) -> dict[str, Any]:
    return {
        "file": planned.file,
        "estimate_seconds": planned.estimate_seconds,
        "budget_seconds": planned.budget_seconds,
        "locks": list(planned.locks),
        "isolated": planned.isolated_reason,
        "selection": planned.selection.value,
    }


def described(plan: Plan) -> list[str]:
    """Return a plan in lines: what would run, in order, and what it would leave out."""
    run = [one for one in plan.files if one.selection is not Selection.NOT_SELECTED]
    left_out = len(plan.files) - len(run)
    shard = f", shard {plan.shard}" if plan.shard else ""
    lines = [
        f"{plan.lane.value}{shard}: {_files(len(run))}, estimated from {plan.estimates_from}, "
        f"plan {plan.plan_digest[:12]}"
    ]
    lines += [f"  {number:>3}. {_line(one)}" for number, one in enumerate(run, start=1)]
    if left_out:
        lines.append(f"  not named: {_files(left_out)}")
    lines += [one_line(f"  in no lane: {one.file} ({one.reason})") for one in plan.left_out]
    return lines


def _files(count: int) -> str:
    return plural(count, "file")


def _line(planned: PlannedFile) -> str:
    known = planned.estimate_seconds
    facts = ["no estimate" if known is None else f"about {known:.1f} s"]
    facts.append(f"at most {planned.budget_seconds:g} s")
    if planned.locks:
        facts.append("locks " + ", ".join(planned.locks))
    if planned.isolated_reason is not None:
        facts.append(f"alone: {planned.isolated_reason}")
    return one_line(f"{planned.file} ({'; '.join(facts)})")
