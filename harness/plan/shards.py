"""Divides a lane over machines: longest processing time first, the same on every machine."""

import heapq
from collections.abc import Mapping, Sequence

from harness.model.identifiers import TestFile
from harness.plan.queue import PlannedFile


def divide(
    files: Sequence[PlannedFile], weights: Mapping[TestFile, float], total: int
) -> list[list[PlannedFile]]:
    """Return the files of each of `total` shards, in run order; every file is in exactly one.

    Heavier files go first, each to the shard that has least so far; of equals the first. A shard
    may be empty. Files that share a lock are one weight: on different machines a lock of this
    one would hold nobody.
    """
    groups = _groups(files)
    loads = [(0.0, shard) for shard in range(total)]
    shard_of: dict[TestFile, int] = {}
    heaviest_first = sorted(
        groups, key=lambda group: (-sum(weights[one.file] for one in group), group[0].file)
    )
    for group in heaviest_first:
        load, shard = heapq.heappop(loads)
        for one in group:
            shard_of[one.file] = shard
        # A file without weight still is work to somebody.
        heapq.heappush(loads, (load + max(sum(weights[one.file] for one in group), 1e-9), shard))
    return [[one for one in files if shard_of[one.file] == shard] for shard in range(total)]


def _groups(files: Sequence[PlannedFile]) -> list[list[PlannedFile]]:
    """Put files that share a lock, directly or over others, into one group."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for one in files:
        for lock in one.locks:
            parent[root(f"lock {lock}")] = root(one.file)
    groups: dict[str, list[PlannedFile]] = {}
    for one in sorted(files, key=lambda one: one.file):
        groups.setdefault(root(one.file), []).append(one)
    return list(groups.values())
