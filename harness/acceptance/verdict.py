"""The one answer to what the outcomes of an `accept` mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.acceptance.check import Finding, Phase
from harness.acceptance.report import Front, FrontState, Outcome
from harness.errors import ExitCode


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The words of the last line, and the exit code."""

    words: str
    exit_code: ExitCode


def verdict_of(outcomes: Sequence[Outcome], front: Front, *, selected: bool = False) -> Verdict:
    """Return what the outcomes mean.

    A failure anywhere is a failure, and so is an unknown in phase B. An unknown in phase A, like
    a front that was not measured, takes the front out of the verdict. Nothing that passed in
    phase B is EMPTY: nothing was measured. With `selected`, only some checks were asked for, and
    the words say so.
    """
    private = [each for each in outcomes if each.phase is Phase.PRIVATE]
    shared = [each for each in outcomes if each.phase is Phase.SHARED]
    failed = [each for each in outcomes if each.finding is Finding.FAIL]
    failed += [each for each in private if each.finding is Finding.UNKNOWN]
    if failed:
        return Verdict(
            words=f"FAILED ({len(failed)} of {len(outcomes)})", exit_code=ExitCode.FAILED
        )
    if not any(each.finding is Finding.PASS for each in private):
        return Verdict(words="NOTHING MEASURED", exit_code=ExitCode.EMPTY)
    if selected:
        words = f"{len(outcomes)} SELECTED CHECKS CLEAR"
        return Verdict(words=words, exit_code=ExitCode.PASSED)
    verified = (
        front.state is FrontState.MEASURED
        and any(each.finding is Finding.PASS for each in shared)
        and not any(each.finding is Finding.UNKNOWN for each in shared)
    )
    words = "ALL CLEAR" if verified else "ALL CLEAR (PHASE B ONLY)"
    return Verdict(words=words, exit_code=ExitCode.PASSED)
