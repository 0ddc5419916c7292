"""What one runner process writes down: a tier record, and in it one file record per file.

A stored format: readers are `harness run --rerun`, `harness manifest`, CI scripts and people.
A new field is a new version.
"""

from typing import Annotated, Final, Literal

import msgspec

from harness.model.identifiers import Lane
from harness.model.status import Cause, Dispatch, Phase, Selection, Status

SCHEMA: Final = "lanewright.tier"
VERSION: Final = 1

Count = Annotated[int, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of everything stored: immutable, and strict about what it does not know."""


class Counts(Record, frozen=True, kw_only=True):
    """Tests of one file run by their outcome; every one that was collected is in one of them.

    `errors` counts set-up, teardown and collection errors, and so may count a test again.
    """

    collected: Count = 0
    passed: Count = 0
    failed: Count = 0
    errors: Count = 0
    skipped: Count = 0
    xfailed: Count = 0
    xpassed: Count = 0
    deselected: Count = 0


class Span(Record, frozen=True, kw_only=True):
    """A reading at the start and at the end; None where the platform has none."""

    start: float | None = None
    end: float | None = None


class Pressure(Record, frozen=True, kw_only=True):
    """PSI `some avg10` in percent."""

    cpu: Span = Span()
    memory: Span = Span()
    io: Span = Span()


class Leaked(Record, frozen=True, kw_only=True):
    """A process that outlived its file run."""

    pid: int
    command: str | None
    how: str


class Section(Record, frozen=True, kw_only=True):
    """One failing test: at most 20 lines of 240 characters, its name and assertion first."""

    test: str
    lines: tuple[str, ...]


class FailureEvidence(Record, frozen=True, kw_only=True):
    """Why a file is not `passed`, bounded. `tail` is the end of the output, at most 12 lines."""

    version: int = 1
    cause: Cause
    test: str | None = None
    sections: tuple[Section, ...] = ()
    tail: tuple[str, ...] = ()


class Skip(Record, frozen=True, kw_only=True):
    """A test that was skipped; `declared` when the configuration allows it."""

    id: str
    reason: str
    declared: bool = False


class Witness(Record, frozen=True, kw_only=True):
    """What the browser tests of a file did, summed; `idle` names those that drove no browser."""

    navigations: Count = 0
    requests: Count = 0
    commands: Count = 0
    idle: tuple[str, ...] = ()


class FileRecord(Record, frozen=True, kw_only=True):
    """One file and its one terminal status.

    `selection` says why it is in the run; an omitted file has a `reason` and status `not_run`.
    `seconds` is None exactly when no process was started. Times are wall clock.
    """

    file: str
    lane: Lane
    selection: Selection
    dispatch: Dispatch
    phase: Phase
    status: Status
    slot: int | None = None
    attempt: Count = 0
    reason: str = ""
    counts: Counts = Counts()
    seconds: Seconds | None = None
    budget_seconds: Seconds | None = None
    exit_code: int | None = None
    signal: int | None = None
    loadavg_1m: Span = Span()
    pressure: Pressure = Pressure()
    leaked: tuple[Leaked, ...] = ()
    failure_evidence: FailureEvidence | None = None
    artefacts: tuple[str, ...] = ()
    skips: tuple[Skip, ...] = ()
    witness: Witness | None = None
    condition_request: Literal["pending"] | None = None


class LeftOutFile(Record, frozen=True, kw_only=True):
    """A file that the project keeps out of every lane, and how."""

    file: str
    reason: str


class HostLoad(Record, frozen=True, kw_only=True):
    """One-minute load averages; `max` is the highest reading that was taken."""

    before: float | None = None
    max: float | None = None
    after: float | None = None


class Host(Record, frozen=True, kw_only=True):
    """The machine. `available_parallelism` counts the processors that this process may use."""

    cpus: Count
    available_parallelism: Count
    loadavg_1m: HostLoad = HostLoad()


class ShardOf(Record, frozen=True, kw_only=True):
    """Shard `index` of `total`, from 1."""

    index: Annotated[int, msgspec.Meta(ge=1)]
    total: Annotated[int, msgspec.Meta(ge=1)]


class TierRecord(Record, frozen=True, kw_only=True):
    """What one runner process dispatched, of one lane.

    `phase` is None for both, `shard` None for the whole lane. `complete` is False until every
    file has its terminal status: a runner that was killed leaves it so. `tree` is the git tree
    of HEAD, None outside of a repository; `started_at` is UTC, ISO 8601. `left_out` are no test
    files of this lane or another one.
    """

    schema: Literal["lanewright.tier"] = SCHEMA
    version: Literal[1] = VERSION
    lane: Lane
    phase: Phase | None
    shard: ShardOf | None
    plan_digest: str
    roster_hash: str
    tree: str | None
    tree_dirty: bool | None
    command: tuple[str, ...]
    started_at: str
    seconds: Seconds
    host: Host
    complete: bool
    files: tuple[FileRecord, ...]
    left_out: tuple[LeftOutFile, ...] = ()
