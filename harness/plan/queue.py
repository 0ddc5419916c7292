"""The order in which the files of a lane run: longest first, then the isolated ones, alone."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.model.identifiers import Lane, TestFile
from harness.model.status import Selection
from harness.plan.roster import LeftOut, RosterEntry

DEFAULT_BUDGET_SECONDS: Mapping[Lane, float] = {
    Lane.UNIT: 60.0,
    Lane.SERVER: 120.0,
    Lane.BROWSER: 300.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Part `index` of `total`, counted from 1."""

    index: int
    total: int

    def __str__(self) -> str:
        return f"{self.index}/{self.total}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFile:
    """One file of a plan. `estimate_seconds` is None without a history.

    `locks` are names that no two running files hold at once; `isolated_reason` says why it runs
    alone.
    """

    file: TestFile
    lane: Lane
    estimate_seconds: float | None
    budget_seconds: float
    locks: tuple[str, ...] = ()
    isolated_reason: str | None = None
    selection: Selection = Selection.FULL_ROSTER


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The files of one lane in order: the parallel queue, then the isolated files.

    With a `shard` only its files are in the queues, while `plan_digest` speaks of the whole lane
    and is the same on every shard. `estimates_from` says what the order is based on. `left_out`
    is what the project keeps out of every lane.
    """

    lane: Lane
    parallel: tuple[PlannedFile, ...]
    isolated: tuple[PlannedFile, ...]
    shard: Shard | None
    roster_hash: str
    plan_digest: str
    estimates_from: str
    left_out: tuple[LeftOut, ...] = ()

    @property
    def files(self) -> tuple[PlannedFile, ...]:
        """Every file of this plan, in the order in which it would run."""
        return (*self.parallel, *self.isolated)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSettings:
    """What a configuration says of single files of a lane."""

    isolated: Mapping[str, str]
    locks: Mapping[str, tuple[str, ...]]
    budgets: Mapping[str, float]


def in_order(
    entries: Iterable[RosterEntry],
    estimates: Mapping[TestFile, float],
    settings: FileSettings,
    selected: frozenset[TestFile] | None = None,
) -> list[PlannedFile]:
    """Return the files of one lane, longest first; what has no estimate comes before all others.

    A new file so never becomes the tail of a run. Ties go by size of the source, then by path.
    `selected` None selects all of them.
    """
    ordered = sorted(
        entries,
        key=lambda one: (
            one.file in estimates,
            -estimates.get(one.file, 0.0),
            -one.size_bytes,
            one.file,
        ),
    )
    return [
        PlannedFile(
            file=one.file,
            lane=one.lane,
            estimate_seconds=estimates.get(one.file),
            budget_seconds=budget_seconds(settings.budgets, one.lane, one.file),
            locks=tuple(sorted(settings.locks.get(one.file, ()))),
            isolated_reason=settings.isolated.get(one.file),
            selection=_selection(one.file, selected),
        )
        for one in ordered
    ]


def _selection(file: TestFile, selected: frozenset[TestFile] | None) -> Selection:
    if selected is None:
        return Selection.FULL_ROSTER
    return Selection.NAMED if file in selected else Selection.NOT_SELECTED


def budget_seconds(budgets: Mapping[str, float], lane: Lane, file: str) -> float:
    """Return the budget of a file: its own, else its lane's, else the default of the lane."""
    return budgets.get(file, budgets.get(lane.value, DEFAULT_BUDGET_SECONDS[lane]))


def digest_of(files: Iterable[PlannedFile], roster_hash: str, shards: int, basis: str) -> str:
    """Return the SHA-256, in hex, of a whole lane: what runs, on what terms.

    `basis` identifies what the order follows from, so that shards which estimated from different
    figures cannot be taken for parts of one plan. The order itself is no part of it: a history
    grows between two phases of one plan.
    """
    rows = [
        [one.file, one.lane.value, one.selection.value, one.budget_seconds, list(one.locks),
         one.isolated_reason]
        for one in sorted(files, key=lambda one: one.file)
    ]  # fmt: skip
    document = {"files": rows, "roster": roster_hash, "shards": shards, "basis": basis}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
