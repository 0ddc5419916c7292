"""Which tree stands in a folder: the tree of HEAD, and whether the files differ from it."""

import os
from dataclasses import dataclass
from pathlib import Path

from harness.process.tool import Finished, run_tool

_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeState:
    """`tree` is the git tree of HEAD in hex, None without a repository or a commit.

    `dirty` says whether tracked files differ from it or untracked ones stand beside them, None
    where that cannot be told.
    """

    tree: str | None
    dirty: bool | None


def tree_state(root: Path) -> TreeState:
    """Read it. Without git, or outside of a repository, everything is None; never raises."""
    try:
        tree = git(root, "rev-parse", "--verify", "--quiet", "HEAD^{tree}")
        status = git(root, "status", "--porcelain=v1", "-z", "--untracked-files=normal")
    except TimeoutError:
        return TreeState(tree=None, dirty=None)
    if tree.exit_code != 0:
        return TreeState(tree=None, dirty=None)
    return TreeState(
        tree=tree.output.decode("ascii").strip(),
        dirty=bool(status.output) if status.exit_code == 0 else None,
    )


def git(root: Path, *arguments: str) -> Finished:
    """Run one git command in `root`; raises TimeoutError.

    What a hook's environment says about another repository or index does not reach it, and it
    takes no optional lock, so that reading disturbs nobody.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    return run_tool(["git", *arguments], root, environment, _SECONDS)
