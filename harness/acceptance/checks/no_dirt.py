"""The run leaves the work tree as it was."""

from harness.acceptance.check import Context, Finding, Result, passed, skipped
from harness.acceptance.dirt import WorkTree, dirt_between, work_tree


class NoDirt:
    """Compares the work tree with what it was before anything was started."""

    def __init__(self, before: WorkTree) -> None:
        self._before = before

    def __call__(self, context: Context) -> Result:
        """Read the work tree again and compare."""
        if self._before.problem is not None:
            return skipped(f"no work tree: {self._before.problem}", "run in a git repository")
        after = work_tree(context.project)
        if after.problem is not None:
            return Result(finding=Finding.UNKNOWN, measured=after.problem, next="see git status")
        lines = dirt_between(self._before, after)
        known = len(self._before.entries)
        if lines:
            return Result(
                finding=Finding.FAIL,
                measured=f"{len(lines)} paths were touched, beside {known} that were dirty before",
                next="write below the private root, or to an ignored path",
                details=tuple(lines),
            )
        return passed(f"work tree as before ({known} paths dirty then and now)")
