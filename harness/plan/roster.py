"""The roster: every test file with its lane and the reason for it."""

import hashlib
import itertools
import json
from collections.abc import Iterable
from dataclasses import dataclass

from harness.model.identifiers import Lane, TestFile


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterEntry:
    """One test file. `reason` names the evidence so that a person can check it.

    `size_bytes` is that of its source.
    """

    file: TestFile
    lane: Lane
    reason: str
    size_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A file that looks like a test file and that the project keeps from pytest; why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Every test file of a project, in order of path, each once.

    `left_out` are no test files and are in no lane; every run names them.
    """

    entries: tuple[RosterEntry, ...]
    left_out: tuple[LeftOut, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[RosterEntry], left_out: Iterable[LeftOut] = ()) -> "Roster":
        """Put entries in order; ValueError when a file is named twice."""
        ordered = tuple(sorted(entries, key=lambda entry: entry.file))
        for before, after in itertools.pairwise(ordered):
            if before.file == after.file:
                raise ValueError(f"the roster names {after.file} twice")
        aside = tuple(sorted(left_out, key=lambda one: one.file))
        return cls(entries=ordered, left_out=aside)

    def lane(self, lane: Lane) -> tuple[RosterEntry, ...]:
        """Return the files of one lane, in order of path."""
        return tuple(entry for entry in self.entries if entry.lane is lane)

    @property
    def roster_hash(self) -> str:
        """SHA-256, in hex, over file, lane and reason of every entry."""
        rows = [[entry.file, entry.lane.value, entry.reason] for entry in self.entries]
        text = json.dumps(rows, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
