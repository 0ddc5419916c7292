"""What a run of a suite said of each test, and how two kinds of run differ. Pure.

A test's outcome is what pytest's own summary would call it: `passed failed error skipped xfailed
xpassed`; `passed+error` where a teardown failed after a call that passed.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from statistics import median

ABSENT = "absent"
COUNTED = ("passed", "failed", "skipped", "error")


class RecordError(ValueError):
    """A record of a run that cannot be compared: cut short, or not one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: what became of each node id, why where it did not pass, and the wall clock."""

    outcomes: Mapping[str, str]
    reasons: Mapping[str, str] = field(default_factory=dict)
    seconds: float

    def counts(self) -> dict[str, int]:
        """Return how many tests had each outcome; the four that pytest names first always."""
        found = Counter(word for outcome in self.outcomes.values() for word in outcome.split("+"))
        return {name: found[name] for name in (*COUNTED, *sorted(set(found) - set(COUNTED)))}


class Kind(Enum):
    """What is to be said of a test that did not have one and the same outcome everywhere."""

    DIFFERS = "differs"
    FLAKY = "flaky without the plugin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One test, its outcomes in every run without the plugin and in every run with it."""

    kind: Kind
    test: str
    without: tuple[str, ...]
    with_plugin: tuple[str, ...]
    reason: str

    def __str__(self) -> str:
        seen = f"without: {' '.join(self.without)}; with: {' '.join(self.with_plugin)}"
        return f"{self.kind.value}: {self.test} ({seen}){f': {self.reason}' * bool(self.reason)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All runs of one suite held against each other."""

    tests: int
    without: tuple[Mapping[str, int], ...]
    with_plugin: tuple[Mapping[str, int], ...]
    ratio: float
    findings: tuple[Finding, ...]

    @property
    def same(self) -> bool:
        """True when no test differs; one that is flaky by itself does not count."""
        return all(finding.kind is not Kind.DIFFERS for finding in self.findings)


def read_record(lines: Iterable[str], *, seconds: float) -> Run:
    """Fold the reports of one run; the last attempt of a test that was run again counts.

    Raises RecordError when a line is no report, or when the run did not reach its end.
    """
    outcomes: dict[str, str] = {}
    reasons: dict[str, str] = {}
    ended = False
    for number, line in enumerate(lines, 1):
        try:
            fact = json.loads(line)
            if "exit_status" in fact:
                ended = True
                continue
            test, when, outcome = fact["id"], fact["when"], fact["outcome"]
            xfail, reason = fact["xfail"], fact["reason"]
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(f"line {number} is no report: {line[:80]!r}") from error
        if when == "setup":
            outcomes.pop(test, None)
            reasons.pop(test, None)
        word = _word(when, outcome, is_xfail=xfail)
        if word is None:
            continue
        known = outcomes.get(test)
        outcomes[test] = f"{known}+{word}" if known else word
        reasons.setdefault(test, reason)
    if not ended:
        raise RecordError("the run was cut short: its record has no end")
    return Run(
        outcomes=outcomes,
        reasons={test: reason for test, reason in reasons.items() if reason},
        seconds=seconds,
    )


def _word(when: str, outcome: str, *, is_xfail: bool) -> str | None:
    """Return what a report says of its test, None when it says nothing yet."""
    match when, outcome:
        case _, "rerun":
            return None
        case "call", "passed":
            return "xpassed" if is_xfail else "passed"
        case "call", "failed":
            return "failed"
        case _, "failed":
            return "error"
        case _, "skipped":
            return "xfailed" if is_xfail else "skipped"
    return None


def compare(without: Sequence[Run], with_plugin: Sequence[Run]) -> Comparison:
    """Hold the runs with the plugin against those without it.

    A test differs when a run with the plugin shows an outcome that no run without it showed.
    It is flaky when the runs without the plugin do not agree, and those with it show nothing new.
    """
    if not without or not with_plugin:
        raise ValueError("a comparison needs a run of each kind")
    runs = (*without, *with_plugin)
    tests = dict.fromkeys(test for run in runs for test in run.outcomes)
    findings = [
        finding for test in tests if (finding := _finding(test, without, with_plugin)) is not None
    ]
    return Comparison(
        tests=len(tests),
        without=tuple(run.counts() for run in without),
        with_plugin=tuple(run.counts() for run in with_plugin),
        ratio=median(run.seconds for run in with_plugin) / median(run.seconds for run in without),
        findings=tuple(findings),
    )


def _finding(test: str, without: Sequence[Run], with_plugin: Sequence[Run]) -> Finding | None:
    before = tuple(run.outcomes.get(test, ABSENT) for run in without)
    after = tuple(run.outcomes.get(test, ABSENT) for run in with_plugin)
    if len({*before, *after}) == 1:
        return None
    return Finding(
        kind=Kind.DIFFERS if set(after) - set(before) else Kind.FLAKY,
        test=test,
        without=before,
        with_plugin=after,
        reason=next(
            (run.reasons[test] for run in (*with_plugin, *without) if test in run.reasons), ""
        ).partition("\n")[0],
    )
