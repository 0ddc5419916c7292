"""What classifying a project gives: the roster, and what its sources contradict themselves in."""

from dataclasses import dataclass

from harness.plan.roster import Roster


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A source that says two things about its lane, or nothing that can be read."""

    file: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """The roster, and what a person should correct, in order of file."""

    roster: Roster
    contradictions: tuple[Contradiction, ...]
