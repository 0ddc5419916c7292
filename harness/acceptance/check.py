"""A check: its name and phase, what it may use, and what it found."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from harness.config.accept import AcceptSettings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from harness.server.ingress import Ingress


class Finding(StrEnum):
    """What a check says. Only PASS is a success, and only of what was measured."""

    PASS = "pass"
    FAIL = "fail"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


class Phase(StrEnum):
    """Against what a check runs: the front that others use, or the private instance."""

    SHARED = "A"
    PRIVATE = "B"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a check found.

    `measured` is one line with counts; a PASS without one is turned into a FAIL. `next` says what
    to do, for everything but a PASS. `details` are single lines that are shown then. `data` is
    JSON-able, for machines.
    """

    finding: Finding
    measured: str
    next: str = ""
    details: tuple[str, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict)


class Instance(Protocol):
    """A running private instance; it is gone when its context ends."""

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:PORT`, without a slash at its end."""

    @property
    def root(self) -> Path:
        """Its own data folder, seeded, in a private folder of its own."""


class Context(Protocol):
    """What a check may use. Everything that it hands out is owned and ended by the run."""

    @property
    def settings(self) -> AcceptSettings:
        """What the project told about its page."""

    @property
    def project(self) -> Path:
        """The folder of the pyproject.toml."""

    @property
    def origin(self) -> str:
        """The origin under test, without a slash at its end."""

    @property
    def root(self) -> Path | None:
        """The private instance's own data folder; None in phase A."""

    @property
    def deadline(self) -> float:
        """When the whole run must end, in time.monotonic()."""

    def remaining(self) -> float:
        """Return the seconds until then, never negative."""

    def browser(self) -> "Browser":
        """Return the one browser of the run, which is launched by the first call."""

    def fresh_instance(self) -> AbstractContextManager[Instance]:
        """Return one more private instance, which nothing has touched yet."""

    def witnessed_instance(self) -> "AbstractContextManager[tuple[Instance, Ingress]]":
        """Return the same with a witness in front of it: browse `Ingress.url`, read `seen`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check. `name` is its key in every output, `title` what it is about, in words."""

    name: str
    phase: Phase
    run: Callable[[Context], Result]
    title: str = ""


def passed(measured: str, **data: object) -> Result:
    """Return a PASS of what was measured."""
    return Result(finding=Finding.PASS, measured=measured, data=data)


def skipped(why: str, next_step: str) -> Result:
    """Return a skip by name: why nothing was measured, and how it would be."""
    return Result(finding=Finding.SKIPPED, measured=why, next=next_step)
