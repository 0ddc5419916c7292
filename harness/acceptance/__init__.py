"""What `accept` checks before a push, and how a project adds checks of its own.

    import harness.acceptance
    from harness.acceptance import Context, Finding, Result

    @harness.acceptance.check("prices have no cents")
    def prices(context: Context) -> Result:
        ...
        return Result(finding=Finding.PASS, measured="12 prices, none with cents")

in a file that `[tool.harness.accept] checks` names.
"""

from harness.acceptance.check import Check, Context, Finding, Instance, Phase, Result
from harness.acceptance.registry import check

__all__ = ["Check", "Context", "Finding", "Instance", "Phase", "Result", "check"]
