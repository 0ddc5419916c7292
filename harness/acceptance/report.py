"""The report of one `accept`: every check with what it found, and the front of phase A."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from harness.acceptance.check import Finding, Phase, Result

SCHEMA = "lanewright.accept"
SCHEMA_VERSION = 1


class FrontState(StrEnum):
    """What became of the shared front. Only MEASURED may be quoted as having measured it."""

    NOT_CONFIGURED = "not_configured"
    UNREACHABLE = "unreachable"
    OTHER_TREE = "other_tree"
    UNKNOWN_TREE = "unknown_tree"
    MEASURED = "measured"


class Front(msgspec.Struct, frozen=True, kw_only=True):
    """The shared front: its address, whether it was measured, and why not."""

    state: FrontState = FrontState.NOT_CONFIGURED
    url: str | None = None
    why: str = ""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One check, and what it found in `seconds`."""

    check: str
    phase: Phase
    title: str
    finding: Finding
    measured: str
    next: str
    details: tuple[str, ...]
    data: Mapping[str, object]
    seconds: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one `accept` found. `fault` is what kept it from going on.

    `selected` names the checks that alone were asked for; empty when all were.
    """

    schema: str = SCHEMA
    version: int = SCHEMA_VERSION
    tree: str | None
    tree_dirty: bool | None
    front: Front
    checks: tuple[Outcome, ...]
    seconds: float
    limit_seconds: float
    selected: tuple[str, ...] = ()
    verdict: str
    exit_code: int
    fault: str = ""


def outcome_of(name: str, phase: Phase, title: str, result: Result, seconds: float) -> Outcome:
    """Return the outcome of a check; a PASS that measured nothing is a FAIL."""
    finding, measured, next_step = result.finding, result.measured, result.next
    if finding is Finding.PASS and not measured.strip():
        finding, measured = Finding.FAIL, "it says pass and names nothing that it measured"
        next_step = "a check's `measured` says with a count what it looked at"
    return Outcome(
        check=name,
        phase=phase,
        title=title,
        finding=finding,
        measured=measured,
        next=next_step,
        details=result.details,
        data=result.data,
        seconds=round(seconds, 3),
    )
