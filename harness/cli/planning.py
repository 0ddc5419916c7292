"""From a project to the plan of a lane: what `harness plan` prints and `harness run` runs."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from harness.config.schema import Config
from harness.errors import ExitCode, HarnessError
from harness.model.identifiers import Lane, TestFile
from harness.plan.coverage import assert_exact_coverage
from harness.plan.queue import (
    FileSettings,
    Plan,
    PlannedFile,
    Shard,
    digest_of,
    in_order,
)
from harness.plan.roster import Roster, RosterEntry
from harness.plan.shards import divide
from harness.records.declared import REASON
from harness.records.history import History, HistoryError, read_durations
from harness.records.state_folder import STATE_FOLDER

MOST_SHARDS = 10_000
_NUMBER = re.compile(r"[0-9]{1,9}")
HISTORY_FILE = "history.sqlite"


class UnnamableFile(HarnessError):
    """A test file has a name that no record could hold; names all of them."""

    exit_code = ExitCode.REFUSED


class StaleName(HarnessError):
    """The configuration speaks of test files that are not there; names all of them."""

    exit_code = ExitCode.REFUSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """Seconds by file. `source` says where they come from, `basis` identifies them in a digest."""

    seconds: Mapping[TestFile, float]
    source: str
    basis: str


class ShardType(click.ParamType[Shard]):
    """`I/N` on a command line."""

    name = "I/N"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Shard:
        """Read it, or say what is expected."""
        index, slash, total = str(value).partition("/")
        if slash and _NUMBER.fullmatch(index) and _NUMBER.fullmatch(total):
            shard = Shard(index=int(index), total=int(total))
            if 1 <= shard.index <= shard.total <= MOST_SHARDS:
                return shard
        return self.fail(
            f"expected I/N with 1 <= I <= N <= {MOST_SHARDS}, such as 2/4, found {value!r}",
            param,
            ctx,
        )


def history_of(root: Path) -> History:
    """Return the history of a project."""
    return History(root / STATE_FOLDER / HISTORY_FILE)


def estimate(
    root: Path, durations: Path | None, sharded: bool, entries: Iterable[RosterEntry]
) -> Estimates:
    """Return what a plan is ordered by.

    Every shard must come to the same plan, so a sharded one never asks the history of its own
    machine: it takes the durations it is given, else the size of the sources.
    """
    if durations is not None:
        digest = hashlib.sha256(durations.read_bytes() if durations.is_file() else b"").hexdigest()
        return Estimates(
            seconds=read_durations(durations),
            source=str(durations),
            basis=f"durations {digest}",
        )
    if sharded:
        return Estimates(seconds={}, source="the size of the sources", basis="size")
    try:
        return Estimates(seconds=history_of(root).medians(), source="earlier runs", basis="history")
    except HistoryError as error:
        click.echo(f"harness: {error}", err=True)
        return Estimates(seconds={}, source="nothing", basis="history")


def make_plan(
    roster: Roster,
    config: Config,
    lane: Lane,
    *,
    estimates: Estimates,
    shard: Shard | None = None,
    shards: int = 1,
    paths: Sequence[TestFile] = (),
) -> Plan:
    """Return the plan of one lane, whose files it holds exactly once, or its part on one shard.

    `paths` selects files by name; the others of the lane stay in the plan as not selected.
    Raises StaleName and CoverageError.
    """
    refuse_unnamable(roster)
    refuse_stale_names(roster, config)
    entries = roster.lane(lane)
    total = shard.total if shard else shards
    settings = FileSettings(isolated=config.isolated, locks=config.locks, budgets=config.budgets)
    chosen = frozenset(paths) if paths else None
    ordered = in_order(entries, estimates.seconds, settings, chosen)
    expected = [entry.file for entry in entries]
    assert_exact_coverage(expected, [one.file for one in ordered])
    digest = digest_of(ordered, roster.roster_hash, total, estimates.basis)
    if shard is not None:
        parts = divide(ordered, _weights(entries, ordered), total)
        assert_exact_coverage(expected, [one.file for part in parts for one in part], "the shards")
        ordered = parts[shard.index - 1]
    return Plan(
        lane=lane,
        parallel=tuple(one for one in ordered if one.isolated_reason is None),
        isolated=tuple(one for one in ordered if one.isolated_reason is not None),
        shard=shard,
        roster_hash=roster.roster_hash,
        plan_digest=digest,
        estimates_from=estimates.source,
        left_out=roster.left_out,
    )


def parts_of(plan: Plan, roster: Roster, total: int) -> list[Plan]:
    """Return the plan of every shard of a whole-lane plan."""
    entries = roster.lane(plan.lane)
    ordered = list(plan.files)
    parts = divide(ordered, _weights(entries, ordered), total)
    return [
        replace(
            plan,
            parallel=tuple(one for one in part if one.isolated_reason is None),
            isolated=tuple(one for one in part if one.isolated_reason is not None),
            shard=Shard(index=number, total=total),
        )
        for number, part in enumerate(parts, start=1)
    ]


def _weights(entries: Iterable[RosterEntry], files: Sequence[PlannedFile]) -> dict[TestFile, float]:
    """Return comparable weights: seconds where all are known, else the mean for what is not.

    Without any estimate the size of the sources decides.
    """
    known = [one.estimate_seconds for one in files if one.estimate_seconds is not None]
    if not known:
        return {entry.file: float(entry.size_bytes) for entry in entries}
    mean = sum(known) / len(known)
    return {
        one.file: mean if one.estimate_seconds is None else one.estimate_seconds for one in files
    }


def refuse_unnamable(roster: Roster) -> None:
    """Refuse names that are not UTF-8, which a record, a report and an event log need."""
    bad = [
        ascii(entry.file)
        for entry in roster.entries
        if not entry.file.isascii() and entry.file.encode("utf-8", "replace").decode() != entry.file
    ]
    if bad:
        raise UnnamableFile(
            f"test files whose names are not UTF-8: {', '.join(bad)}. Rename them; if they are "
            "UTF-8, the locale of this shell is not"
        )


def refuse_stale_names(roster: Roster, config: Config) -> None:
    """Refuse a configuration that speaks of files which are no test files any more."""
    files = {entry.file for entry in roster.entries}
    lanes = {lane.value for lane in Lane}
    named = [
        *(("isolated", name) for name in config.isolated),
        *(("locks", name) for name in config.locks),
        *(("budgets", name) for name in config.budgets if name not in lanes),
        *(
            ("allowed_skips", name)
            for name in (one.partition("::")[0] for one in config.allowed_skips)
            if not name.startswith(REASON)
        ),
    ]
    stale = [f"[tool.harness.{table}] names {name}" for table, name in named if name not in files]
    if stale:
        raise StaleName(
            "; ".join(stale) + ": no test file has that name. Correct the name, or remove the entry"
        )
