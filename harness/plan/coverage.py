"""Exact coverage: what is to run is what is there, each once."""

from collections import Counter
from collections.abc import Iterable

from harness.errors import ExitCode, HarnessError
from harness.model.identifiers import TestFile

_SHOWN = 20


class CoverageError(HarnessError):
    """A queue or a set of records does not hold every file exactly once. Names all of them."""

    exit_code = ExitCode.REFUSED

    def __init__(
        self,
        what: str,
        *,
        missing: tuple[TestFile, ...] = (),
        repeated: tuple[TestFile, ...] = (),
        invented: tuple[TestFile, ...] = (),
    ) -> None:
        self.missing, self.repeated, self.invented = missing, repeated, invented
        kinds = (("lost", missing), ("repeated", repeated), ("unknown", invented))
        found = "; ".join(f"{word}: {_listed(files)}" for word, files in kinds if files)
        super().__init__(
            f"{what} does not hold every file of the lane exactly once. {found}. This is a "
            "fault of the harness: nothing is claimed for this run"
        )


def assert_exact_coverage(
    expected: Iterable[TestFile], found: Iterable[TestFile], what: str = "the queue"
) -> None:
    """Raise CoverageError unless `found` holds every file of `expected` once and no other."""
    wanted, counted = set(expected), Counter(found)
    missing = tuple(sorted(wanted - counted.keys()))
    repeated = tuple(sorted(file for file, count in counted.items() if count > 1))
    invented = tuple(sorted(counted.keys() - wanted))
    if missing or repeated or invented:
        raise CoverageError(what, missing=missing, repeated=repeated, invented=invented)


def _listed(files: tuple[TestFile, ...]) -> str:
    shown = ", ".join(files[:_SHOWN])
    return shown if len(files) <= _SHOWN else f"{shown} and {len(files) - _SHOWN} more"
