"""How a file run ended, and what else a record says in fixed words."""

from enum import StrEnum


class Status(StrEnum):
    """The terminal word of a file. `harness.records.derive_status` decides it, nobody else."""

    PASSED = "passed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    INTERRUPTED = "interrupted"
    NOT_RUN = "not_run"
    EMPTY = "empty"


class Cause(StrEnum):
    """Why a file is not `passed`: what `failure_evidence` speaks of."""

    TEST = "test"
    COLLECTION = "collection"
    LEAK = "leak"
    EXIT_CODE = "exit_code"
    CRASH = "crash"
    TIMEOUT = "timeout"
    INTERRUPTION = "interruption"


class Selection(StrEnum):
    """Why a file is in a run, or is not."""

    CHANGED = "changed"
    DEPENDENCY = "dependency"
    FULL_ROSTER = "full-roster"
    NAMED = "named"
    NOT_SELECTED = "not-selected"


class Dispatch(StrEnum):
    """Whether a run was to run a file."""

    DISPATCHED = "dispatched"
    OMITTED = "omitted"


class Phase(StrEnum):
    """When a file runs: beside others, or alone after them."""

    PARALLEL = "parallel"
    ISOLATED = "isolated"
