"""What a run leaves in the work tree, told apart from what was there before."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.repository.tree import git


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTree:
    """Every path that git calls changed or untracked, with its code and its metadata.

    `problem` says why it could not be read; `entries` is then empty.
    """

    entries: Mapping[str, tuple[object, ...]]
    problem: str | None = None


def work_tree(project: Path) -> WorkTree:
    """Read the state of the work tree; ignored files are not looked at. Never raises."""
    try:
        status = git(
            project, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"
        )
        top = git(project, "rev-parse", "--show-toplevel")
    except TimeoutError as error:
        return WorkTree(entries={}, problem=str(error))
    if status.exit_code != 0 or top.exit_code != 0:
        said = (status.errors or top.errors).decode("utf-8", "replace").strip()
        return WorkTree(entries={}, problem=said.splitlines()[0] if said else "git failed")
    root = os.fsdecode(top.output.rstrip(b"\n"))
    entries: dict[str, tuple[object, ...]] = {}
    for row in filter(None, status.output.split(b"\0")):
        code, path = row[:2].decode("ascii"), os.fsdecode(row[3:])
        entries[path] = (code, *_metadata(os.path.join(root, path)))
    return WorkTree(entries=entries)


def dirt_between(before: WorkTree, after: WorkTree) -> list[str]:
    """Return one line for each path whose state the run has changed, sorted."""
    lines = []
    for path in sorted(before.entries.keys() | after.entries.keys()):
        old, new = before.entries.get(path), after.entries.get(path)
        if old == new:
            continue
        if old is None and new is not None:
            lines.append(f"{new[0]} {path}")
        elif new is None:
            lines.append(f"{path}: it was changed or untracked before, and is not any more")
        else:
            lines.append(f"{path}: it was dirty before, and was changed again")
    return lines


def _metadata(path: str) -> tuple[object, ...]:
    try:
        found = os.lstat(path)
    except OSError as error:
        return (type(error).__name__,)
    return (found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
